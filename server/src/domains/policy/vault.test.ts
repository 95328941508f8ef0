import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Vault } from './vault.ts'

const mail = 'jane.roe@example.org'

test('Vault: equal originals have one placeholder, different originals different ones', () => {
  const vault = new Vault()
  expect(vault.placeholderFor('EMAIL', mail)).toBe('<EMAIL_1>')
  expect(vault.placeholderFor('EMAIL', 'x@example.org')).toBe('<EMAIL_2>')
  expect(vault.placeholderFor('PHONE', '+44 1')).toBe('<PHONE_1>')
  expect(vault.placeholderFor('EMAIL', mail)).toBe('<EMAIL_1>')
})

test('Vault: conceal reverses restore when one original is a part of another', () => {
  const vault = new Vault()
  vault.placeholderFor('PERSON', 'Jane Roe')
  vault.placeholderFor('PERSON', 'Jane Roe Lind')
  const hidden = vault.conceal('Jane Roe and Jane Roe Lind, $& Jane Roe')
  expect(hidden).toBe('<PERSON_1> and <PERSON_2>, $& <PERSON_1>')
  expect(vault.restore(hidden)).toBe('Jane Roe and Jane Roe Lind, $& Jane Roe')
})

test('Vault: placeholders that a text already contains are not used', () => {
  const vault = new Vault()
  vault.reserve('I wrote <EMAIL_1> and &lt;EMAIL_2&gt; myself')
  expect(vault.placeholderFor('EMAIL', mail)).toBe('<EMAIL_3>')
  expect(vault.restore('<EMAIL_1> <EMAIL_2> <EMAIL_3>')).toBe(`<EMAIL_1> <EMAIL_2> ${mail}`)
})

describe('Vault: restore recognises placeholders that models have changed', () => {
  const vault = new Vault()
  vault.placeholderFor('NATIONAL_ID', '12345')

  test.each(['<NATIONAL_ID_1>', '&lt;NATIONAL_ID_1&gt;', '<NATIONAL\\_ID\\_1>', '**<NATIONAL_ID_1>**,'])('%s', (text) => {
    expect(vault.restore(text)).toBe(text.replace(/(<|&lt;)NATIONAL.*1(>|&gt;)/, '12345'))
  })
  test.each(['<NATIONAL_ID_2>', '<NATIONAL_ID_11>', 'NATIONAL_ID_1', '<national_id_1>'])('%s is not a placeholder', (text) => {
    expect(vault.restore(text)).toBe(text)
  })
})

test('Vault: restored originals are not read as placeholders', () => {
  const vault = new Vault()
  vault.placeholderFor('PERSON', '<EMAIL_1>')
  vault.placeholderFor('EMAIL', mail)
  expect(vault.restore('<PERSON_1>')).toBe('<EMAIL_1>')
})

test('Vault: stored vault restores its originals and continues the numbers', () => {
  const vault = new Vault()
  vault.placeholderFor('EMAIL', mail)
  const stored = Vault.fromJSON(JSON.parse(JSON.stringify(vault)))
  expect(stored.restore('<EMAIL_1>')).toBe(mail)
  expect(stored.placeholderFor('EMAIL', mail)).toBe('<EMAIL_1>')
  expect(stored.placeholderFor('EMAIL', 'x@example.org')).toBe('<EMAIL_2>')
})

test.each([
  null,
  7,
  {},
  { originals: {} },
  { originals: [['<A_1>']] },
  { originals: [['A_1', 'x']] },
  { originals: [['<A_1>', 7]] },
])('Vault: fromJSON throws for %j', (value) => expect(() => Vault.fromJSON(value)).toThrow(TypeError))

test('Vault: inspect shows no originals', () => {
  const vault = new Vault()
  vault.placeholderFor('EMAIL', mail)
  expect(inspect(vault, { depth: 9, showHidden: true })).not.toContain(mail)
})

test('Vault: restores random originals', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', minLength: 1 }), { maxLength: 20 }),
      fc.array(fc.string()),
      (originals, between) => {
        const vault = new Vault()
        for (const text of between) vault.reserve(text)
        const hidden = originals.map((original) => vault.placeholderFor('EMAIL', original))
        expect(vault.restore(hidden.join('\n'))).toBe(originals.join('\n'))
        expect(Vault.fromJSON(vault.toJSON()).restore(hidden.join('\n'))).toBe(originals.join('\n'))
      },
    ),
  )
})
