/** Whether a cut at `index` would split a surrogate pair. */
export const splitsPair = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800

/** Whether the text before `index` ends with the first half of a surrogate pair. */
export const endsInPair = (text: string, index: number): boolean => (text.charCodeAt(index - 1) & 0xfc00) === 0xd800
