# screen tests
