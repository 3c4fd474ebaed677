# unit tests of src/fio
