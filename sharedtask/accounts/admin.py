"""Accounts in the admin, which is for superusers only."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm

from sharedtask.accounts.models import User


class NewAccountForm(AdminUserCreationForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("username", "full_name", "email")


class AccountForm(UserChangeForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = "__all__"


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    """Django's, with the name in one field. Organisers are chosen on the page of their task."""

    form = AccountForm
    add_form = NewAccountForm
    list_display = ["username", "full_name", "email", "is_active", "is_superuser", "last_login"]
    list_filter = ["is_superuser", "is_active"]
    search_fields = ["username", "full_name", "email"]
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Person", {"fields": ["full_name", "email"]}),
        ("Permissions", {"fields": ["is_active", "is_staff", "is_superuser"]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    filter_horizontal = []
    add_fieldsets = [
        (
            None,
            {
                "classes": ["wide"],
                "fields": ["username", "full_name", "email", "usable_password", "password1", "password2"],
            },
        ),
    ]
