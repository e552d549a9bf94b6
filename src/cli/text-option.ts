import { InvalidArgumentError } from 'commander';

/** Reads an option's or an argument's value that must not be empty, as that of a variable that nobody set. */
export function someText(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}
