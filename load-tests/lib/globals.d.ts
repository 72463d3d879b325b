/** k6 has a console; its types do not. */
declare const console: {
  info(message: string): void;
  error(message: string): void;
};
