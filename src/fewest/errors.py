"""What can go wrong, in words. Every error is a FewestError and the built-in that fits."""


class FewestError(Exception):
    """Base of every error that fewest raises on purpose."""


class InvalidInput(FewestError, ValueError):
    """The data cannot be used as they are."""


class InvalidType(FewestError, TypeError):
    """An object of the wrong kind was given."""


class InvalidParameter(FewestError, ValueError):
    """A parameter has a value that it cannot have."""


class UnreadableFile(FewestError, ValueError):
    """A file cannot be read, or is not what its name says."""


class UnwritableFile(FewestError, OSError):
    """An output file cannot be written, or would overwrite another."""


class MissingDependency(FewestError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""


class FewestWarning(UserWarning):
    """Base of every warning that fewest gives."""
