/** The lines of a text, in which `\\u200b` and `\\n` stand for the characters. */
export const lines = (text: string): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('\\u200b', '\u200b').replaceAll('\\n', '\n'))
