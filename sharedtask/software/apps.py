from django.apps import AppConfig


class SoftwareConfig(AppConfig):
    name = "sharedtask.software"

    def ready(self) -> None:
        # Not at the top: models can be imported only when all apps are known.
        from sharedtask.software.receive_image import ReceiveImage
        from sharedtask.uploads import purposes

        purposes.register(ReceiveImage())
