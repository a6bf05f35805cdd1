def register(namespace): pass
