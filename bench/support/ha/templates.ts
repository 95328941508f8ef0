import { readFileSync, writeFileSync } from 'node:fs'

const FOLDER = new URL('../../../deploy/ha/', import.meta.url)

/** Writes a file of deploy/ha with its `${NAME}` replaced, so that the reference is what runs. Throws if a value is missing. */
export function writeFromTemplate(template: string, target: string, values: Readonly<Record<string, string | number>>): void {
  const text = readFileSync(new URL(template, FOLDER), 'utf8')
  const filled = text.replaceAll(/\$\{([A-Z][A-Z0-9_]*)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`${template} needs a value for ${name}`)
    return String(value)
  })
  writeFileSync(target, filled)
}
