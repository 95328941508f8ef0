/**
 * What no reader sees, as the inside of a character class: soft hyphen, combining grapheme joiner, Hangul and Khmer fillers, Mongolian
 * selectors, zero-width spaces and joiners, direction marks, embeddings, overrides and isolates, invisible operators, deprecated format
 * characters, variation selectors, byte order mark, annotation anchors. (Unicode, Default_Ignorable_Code_Point in the BMP, and U+FFF9–FFFB.)
 */
export const INVISIBLE = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb`

/** Tag characters (a shadow of ASCII) and the 240 further variation selectors, as surrogate pairs. */
export const INVISIBLE_PAIR = String.raw`\udb40[\udc00-\uddef]`
