# fault tests
