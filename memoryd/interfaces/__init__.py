"""The ways in: command line, later MCP and web. They parse, call service, and print; nothing else.

Purpose       turn words of people and programs into calls of service, and values into text or JSON.
Entry point   `memoryd.interfaces.cli.main`
May import    service and every room's values below it.
"""
