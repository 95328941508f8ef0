import { normalize } from '../../../platform/lib/normalize.ts'

const MAX_BYTES = 255
const DEFAULT_NAME = 'file'
/** Path separators, characters that some systems refuse, and direction marks that can hide the real file extension. */
const FORBIDDEN_CHARACTERS = /[\p{Cc}\p{Cs}"*/:<>?\\|\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A file name that is safe on all systems: not a path, without forbidden characters, at most 255 bytes. */
export function cleanFilename(name: string): string {
  const clean = normalize(name, 'NFC').replaceAll(FORBIDDEN_CHARACTERS, '_').trim().replace(/^\.+/, '')
  return shorten(clean) || DEFAULT_NAME
}

function shorten(name: string): string {
  const [extension = ''] = /\.[^.]{1,16}$/u.exec(name) ?? []
  return firstBytes(name.slice(0, name.length - extension.length), MAX_BYTES - Buffer.byteLength(extension)) + extension
}

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

/** The Content-Disposition header of a download with this file name (RFC 6266). */
export const contentDisposition = (filename: string): string =>
  `attachment; filename="${filename.replace(/[^ !#-[\]-~]/g, '_')}"; filename*=UTF-8''${encodeRfc8187(filename)}`

const encodeRfc8187 = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
