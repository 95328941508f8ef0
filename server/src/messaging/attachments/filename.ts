import { normalize } from '../../lib/normalize.ts'

const MAX_BYTES = 255
const NAMELESS = 'file'
/** Paths, what some systems refuse, and what turns the direction of writing to show another ending than there is. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cs}"*/:<>?\\|\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A name that is only a name, wherever the file is saved. */
export function cleanFilename(name: string): string {
  const clean = normalize(name, 'NFC').replaceAll(NOT_IN_NAMES, '_').trim().replace(/^\.+/, '')
  return shortened(clean) || NAMELESS
}

/** At most 255 bytes, with its ending. */
function shortened(name: string): string {
  const [ending = ''] = /\.[^.]{1,16}$/u.exec(name) ?? []
  return firstBytes(name.slice(0, name.length - ending.length), MAX_BYTES - Buffer.byteLength(ending)) + ending
}

/** The whole characters that fit in so many bytes. Reads no further than the cut. */
function firstBytes(text: string, bytes: number): string {
  let end = 0
  let used = 0
  for (const character of text) {
    used += Buffer.byteLength(character)
    if (used > bytes) break
    end += character.length
  }
  return text.slice(0, end)
}

/** The header that has it saved under that name (RFC 6266). */
export const contentDisposition = (filename: string): string =>
  `attachment; filename="${filename.replace(/[^ !#-[\]-~]/g, '_')}"; filename*=UTF-8''${encodeRfc8187(filename)}`

const encodeRfc8187 = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
