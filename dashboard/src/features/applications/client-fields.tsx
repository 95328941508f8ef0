import { MultiSelect, NumberInput, Select, SimpleGrid } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Section } from '../../ui/section.tsx'
import type { Values } from './settings-values.ts'

const UNKNOWN_FIELDS = [
  { value: 'refuse', label: 'Refuse the request' },
  { value: 'carry', label: 'Scan and carry them' },
]
const RELEASE = [
  { value: 'validated', label: 'After validation' },
  { value: 'windowed', label: 'While it arrives' },
]
const STORE = [
  { value: 'off', label: 'None' },
  { value: 'requested', label: 'Those with store: true' },
  { value: 'default', label: 'All without store: false' },
]

const EXTENSIONS: readonly string[] = ['tools', 'content_parts', 'developer_role']

/** Settings of the client APIs: extensions, streams and stored responses. */
export function ClientFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { extensions, release } = form.getValues().settings
  return (
    <>
      <Section title="Client APIs">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <MultiSelect
            label="Allowed extensions"
            description="Most clients need all three. content_parts: images and files"
            data={[...new Set([...EXTENSIONS, ...extensions])]}
            {...form.getInputProps('settings.extensions')}
          />
          <Select
            label="Unknown fields of requests"
            description="Messages and Responses API only. Carried fields are sent to providers of the same API"
            data={UNKNOWN_FIELDS}
            allowDeselect={false}
            {...form.getInputProps('settings.unknown_fields')}
          />
        </SimpleGrid>
      </Section>
      <Section title="Streaming">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label="Text of streams is sent"
            description="While it arrives: only if the output rules can judge a part of a response"
            data={RELEASE}
            allowDeselect={false}
            {...form.getInputProps('settings.release')}
          />
          {release === 'windowed' && (
            <NumberInput
              label="Characters held back"
              description="At the end of the text that has arrived"
              placeholder="Default"
              min={576}
              max={65_536}
              {...form.getInputProps('settings.release_window')}
            />
          )}
        </SimpleGrid>
      </Section>
      <Section title="Stored responses">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label="Responses to store"
            description="Responses API only. The content is sealed"
            data={STORE}
            allowDeselect={false}
            {...form.getInputProps('settings.responses.store')}
          />
          <NumberInput
            label="Retention in days"
            description="Older responses are removed"
            placeholder="Default"
            min={1}
            max={3_650}
            {...form.getInputProps('settings.responses.retention_days')}
          />
        </SimpleGrid>
      </Section>
    </>
  )
}
