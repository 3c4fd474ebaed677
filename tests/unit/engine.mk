# unit tests of src/engine
