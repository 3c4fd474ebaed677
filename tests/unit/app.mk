# unit tests of src/app
