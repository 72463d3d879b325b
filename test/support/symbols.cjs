// Jest's own world of globals lacks the symbols of `await using`, which Node 20 has.
Symbol.dispose ??= Symbol('Symbol.dispose');
Symbol.asyncDispose ??= Symbol('Symbol.asyncDispose');
