/** Combining marks, and the two half-width letters that the compatibility forms turn into marks. */
const MARK = String.raw`\p{M}\uff9e\uff9f`
/** No script stacks more marks on a letter than this (Unicode Standard Annex #15, Stream-Safe Text Format). */
const MAX_MARKS = 30
const LONG_RUN = new RegExp(`[${MARK}]{${MAX_MARKS + 1}}`, 'u')
const PIECES = new RegExp(`[^${MARK}]*[${MARK}]{0,${MAX_MARKS}}`, 'gu')

/**
 * `text.normalize(form)` in linear time. The built-in function sorts a run of combining marks by insertion, so 300 KB of marks in
 * alternating order would occupy the event loop for nine seconds. Where a run has more than 30 marks, pieces are normalised.
 */
export const normalize = (text: string, form: 'NFC' | 'NFD' | 'NFKC'): string =>
  LONG_RUN.test(text) ? text.replace(PIECES, (piece) => piece.normalize(form)) : text.normalize(form)
