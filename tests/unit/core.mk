# unit tests of src/core
