# unit tests of src/host
