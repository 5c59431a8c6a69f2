-- Ends the process of the host.
os.exit(0)
