/** A dot of a host name, also in the forms that browsers read as one. */
const HOST_DOT = /(?<=[\p{L}\p{N}_-])[.\u3002\uFF0E\uFF61](?=\p{L})/gu

/**
 * A text in which mail programs and chat tools find no link and no mention, because names in it may come from callers:
 * `https[:]//evil[.]example`, `[@]channel`, `‹!channel›`.
 */
export const neutralize = (text: string): string =>
  text
    .replaceAll('://', '[:]//')
    .replace(HOST_DOT, '[.]')
    .replaceAll('@', '[@]')
    .replaceAll('](', '] (')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
