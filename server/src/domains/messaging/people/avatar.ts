import { createHash } from 'node:crypto'

const LETTER = /[\p{L}\p{N}]/u

/** An SVG picture: up to two initials of the name on a colour that depends on the name. Only letters and digits of the name are included. */
export function avatarSvg(name: string): string {
  const letters = name
    .split(/[\s._-]+/u)
    .flatMap((word) => LETTER.exec(word)?.[0].toLocaleUpperCase('en') ?? [])
    .slice(0, 2)
    .join('')
  const hue = createHash('sha256').update(name).digest().readUInt16BE() % 360
  return `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96"><rect width="96" height="96" fill="hsl(${hue} 45% 42%)"/><text x="48" y="50" fill="#fff" font-family="system-ui, sans-serif" font-size="40" text-anchor="middle" dominant-baseline="central">${letters}</text></svg>`
}
