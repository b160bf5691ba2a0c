"""`python -m lamina`."""

from lamina.doors.cli import main

if __name__ == "__main__":
    main()
