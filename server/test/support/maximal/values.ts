/** A picture that is too long to be taken for a word. */
export const PNG = Buffer.concat([Buffer.from('iVBORw0KGgo=', 'base64'), Buffer.alloc(300, 'pixels\0')]).toString('base64')
export const TEXT_FILE = Buffer.from('A short note.').toString('base64')
export const SIGNATURE = Buffer.from('a signature that only its provider can read, and no other service').toString('base64')
export const EPHEMERAL = { cache_control: { type: 'ephemeral', ttl: '5m' } }
export const SCHEMA = {
  type: 'object',
  description: 'A place.',
  properties: { city: { type: 'string', enum: ['Bern', 'Rome'], default: 'Bern' } },
  required: ['city'],
}
