"""Models of software: images, versions of systems, executions, and resources that organisers granted."""

from sharedtask.software.models.execution import Execution
from sharedtask.software.models.grant import ResourceGrant
from sharedtask.software.models.image import StoredImage, SystemVersion

__all__ = ["Execution", "ResourceGrant", "StoredImage", "SystemVersion"]
