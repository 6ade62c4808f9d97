"""The service managers: systemd and launchd.

Rule          one description of the service, two languages to say it in.
Entry point   `install` plans and installs; `managing` asks the manager of this machine.
"""
