module sui::event;

public native fun emit<T: copy + drop>(event: T);
