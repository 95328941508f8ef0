import { JsonInput, PasswordInput, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useRead } from '../../api/queries.ts'
import type { Values } from './provider-values.ts'

interface ConnectionFieldsProps {
  readonly form: UseFormReturnType<Values>
  /** Source of the stored key; null: no key is stored. */
  readonly keyFrom: string | null | undefined
}

const KEY_AGAIN = 'A change of the origin requires the key again'
const BASE_URL_HINTS: Readonly<Partial<Record<Values['kind'], string>>> = {
  openai: `Up to the version, such as …/v1. ${KEY_AGAIN}`,
  anthropic: `Without the version. ${KEY_AGAIN}`,
  'azure-openai': `Of the resource, without a path. ${KEY_AGAIN}`,
  bedrock: `{region} stands for the region. ${KEY_AGAIN}`,
  vertex: `{region} stands for the region. ${KEY_AGAIN}`,
}

/** Where requests go, and the key. */
export function ConnectionFields({ form, keyFrom }: ConnectionFieldsProps) {
  const { kind } = form.getValues()
  return (
    <>
      {kind === 'openai' && <PresetField form={form} />}
      <TextInput label="Base URL" description={BASE_URL_HINTS[kind] ?? KEY_AGAIN} required {...form.getInputProps('base_url')} />
      <KeyField form={form} keyFrom={keyFrom} />
      <TextInput label="Path of chat requests" required {...form.getInputProps('path')} />
    </>
  )
}

/** A known server: its base URL, and its names of parameters. */
function PresetField({ form }: { readonly form: UseFormReturnType<Values> }) {
  const presets = useRead('/admin/v1/provider-presets').data?.data ?? []
  const choose = (id: string) => {
    const preset = presets.find((candidate) => candidate.id === id)
    form.setValues({ preset: id as Values['preset'], ...(preset && { base_url: preset.base_url }) })
  }
  return (
    <Select
      label="Server"
      description="Sets the base URL and the names of parameters"
      data={[{ value: '', label: 'Other' }, ...presets.map(({ id, title }) => ({ value: id, label: title }))]}
      allowDeselect={false}
      {...form.getInputProps('preset')}
      onChange={(id) => choose(id ?? '')}
    />
  )
}

const KEY_HINTS: Readonly<Partial<Record<Values['kind'], string>>> = {
  bedrock: 'Bedrock API key, or access key id:secret access key[:session token].',
  vertex: 'JSON text of the key file of a service account.',
}

function KeyField({ form, keyFrom }: ConnectionFieldsProps) {
  const { kind } = form.getValues()
  const stored = keyFrom ? `Stored (${keyFrom}). Leave empty to keep it` : 'Stored encrypted and never shown again'
  const props = {
    label: 'API key',
    description: [KEY_HINTS[kind], stored].filter(Boolean).join(' '),
    autoComplete: 'off',
    ...form.getInputProps('api_key'),
  }
  return kind === 'vertex' ? <JsonInput minRows={2} maxRows={6} autosize {...props} /> : <PasswordInput {...props} />
}
