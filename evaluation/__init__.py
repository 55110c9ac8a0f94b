"""The science of Arboretum: reading, checking, aligning and scoring CoNLL-U files."""
