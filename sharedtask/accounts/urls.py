"""URLs of accounts: those of allauth's views that the site uses, under paths of its own.

The names are allauth's, which reverses them itself. All but the first two are under /account/, which is open
to organisers without a second factor (see second_factor.py).
"""

from __future__ import annotations

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from django.contrib.auth.decorators import login_required
from django.urls import path, re_path
from django.views.decorators.http import require_POST

from sharedtask.accounts import token_pages
from sharedtask.accounts.address_pages import without_address
from sharedtask.accounts.new_password import ChangePasswordView, NewPasswordView

urlpatterns = [
    path("sign-in/", account.login, name="account_login"),
    # A link on another site must not sign anybody out.
    path("sign-out/", require_POST(account.logout), name="account_logout"),
    path("account/new/", account.signup, name="account_signup"),
    path("account/inactive/", account.account_inactive, name="account_inactive"),
    path("account/again/", account.reauthenticate, name="account_reauthenticate"),
    path("account/addresses/", account.email, name="account_email"),
    path("account/confirm/", account.email_verification_sent, name="account_email_verification_sent"),
    re_path(r"^account/confirm/(?P<key>[-:\w]+)/$", account.confirm_email, name="account_confirm_email"),
    path("account/without-address/", without_address, name="account-without-address"),
    path("account/password/", login_required(ChangePasswordView.as_view()), name="account_change_password"),
    path("account/password/set/", account.password_set, name="account_set_password"),
    path("account/password/forgotten/", account.password_reset, name="account_reset_password"),
    path("account/password/sent/", account.password_reset_done, name="account_reset_password_done"),
    path(
        "account/password/changed/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^account/password/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        NewPasswordView.as_view(),
        name="account_reset_password_from_key",
    ),
    path("account/tokens/", token_pages.token_list, name="account-tokens"),
    path("account/tokens/new/", token_pages.new_token, name="account-token-new"),
    path("account/tokens/<slug:public_id>/revoke/", token_pages.revoke_token, name="account-token-revoke"),
    path("account/device/", token_pages.confirm_device, name="account-device"),
    path("account/second-factor/", mfa.index, name="mfa_index"),
    path("account/second-factor/code/", mfa.authenticate, name="mfa_authenticate"),
    path("account/second-factor/again/", mfa.reauthenticate, name="mfa_reauthenticate"),
    path("account/second-factor/set-up/", totp.activate_totp, name="mfa_activate_totp"),
    path("account/second-factor/switch-off/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("account/second-factor/recovery/", recovery.view_recovery_codes, name="mfa_view_recovery_codes"),
    path(
        "account/second-factor/recovery/new/",
        recovery.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/second-factor/recovery/download/",
        recovery.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
]
