alter table swaps rename column most_fee to max_fee;
