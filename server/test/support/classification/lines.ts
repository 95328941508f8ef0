/** The lines of a text. `\\u200b` and `\\n` in it are replaced by the characters. */
export const lines = (text: string): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('\\u200b', '\u200b').replaceAll('\\n', '\n'))
