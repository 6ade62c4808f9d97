"""`python -m memoryd` is `memoryd`."""

from memoryd.interfaces.cli import main

if __name__ == "__main__":
    main()
