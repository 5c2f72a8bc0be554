"""The build: the stages in order, on one page (`build.py`)."""
