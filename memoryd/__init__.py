"""memoryd keeps the memory of AI agents in order, on the user's own machine."""
