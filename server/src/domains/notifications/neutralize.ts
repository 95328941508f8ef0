/** A dot of a host name, also in the forms that browsers read as one. Labels of hosts may hold marks, symbols and invisible characters. */
const HOST_DOT = /(?<=\S)[.\u2024\u3002\uFF0E\uFF61](?=[^\s\p{Nd}\p{P}])/gu
/** The colon after a scheme: `https://`, `mailto:`, `tel:`. */
const SCHEME_COLON = /(?<=\p{L})[:\uFF1A](?=\S)|:(?=\/\/)/gu

/**
 * A text in which mail programs and chat tools find no link and no mention, because names in it may come from callers:
 * `https[:]//evil[.]example`, `[@]channel`, `‹!channel›`.
 */
export const neutralize = (text: string): string =>
  text
    .replace(SCHEME_COLON, '[:]')
    .replace(HOST_DOT, '[.]')
    .replace(/[@\uFF20]/g, '[@]')
    .replaceAll('\\\\', '[\\\\]')
    .replaceAll('](', '] (')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
