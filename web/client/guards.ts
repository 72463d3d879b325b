/** Checks that a value from the network matches the contract. */
export type Guard<T> = (value: unknown) => value is T;

type TypeName<V> = V extends string
  ? 'string'
  : V extends number
    ? 'number'
    : V extends boolean
      ? 'boolean'
      : V extends readonly unknown[]
        ? 'array'
        : 'object';

const typeName = (value: unknown) =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;

/** An object with these members. The compiler compares the list with the contract; the page checks it at run time. */
export const object =
  <T>(members: { readonly [M in keyof T]?: TypeName<T[M]> }): Guard<T> =>
  (value): value is T =>
    typeName(value) === 'object' &&
    Object.entries(members).every(([name, type]) => typeName((value as Members)[name]) === type);

type Members = Readonly<Record<string, unknown>>;

export const list =
  <T>(each: Guard<T>): Guard<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(each);
