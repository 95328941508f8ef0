import { MultiSelect, NumberInput, Select, SimpleGrid, Switch, TagsInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Section } from '../../ui/section.tsx'
import type { Values } from './settings-values.ts'

const CAPTURE = [
  { value: 'off', label: 'Off' },
  { value: 'explicit', label: 'Explicit requests' },
  { value: 'extract', label: 'Explicit requests and extracted facts' },
]

const UNKNOWN_FIELDS = [
  { value: 'refuse', label: 'Refuse the request' },
  { value: 'carry', label: 'Scan them and send them to providers of the same API' },
]
const RELEASE = [
  { value: 'validated', label: 'After the whole response is validated' },
  { value: 'windowed', label: 'While it arrives, except the last characters' },
]
const STORE = [
  { value: 'off', label: 'None' },
  { value: 'requested', label: 'Those with store: true' },
  { value: 'default', label: 'All without store: false' },
]

const EXTENSIONS: readonly string[] = ['tools', 'content_parts', 'developer_role']

/** Knowledge, memory, stored responses and extensions of an Application. */
export function FeatureFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { knowledge, memory, extensions } = form.getValues().settings
  return (
    <>
      <Section title="Knowledge">
        <Switch label="Enable knowledge" {...form.getInputProps('settings.knowledge.enabled', { type: 'checkbox' })} />
        {knowledge.enabled && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Collections form={form} />
            <NumberInput
              label="Maximum passages per request"
              placeholder="Default"
              min={0}
              max={50}
              {...form.getInputProps('settings.knowledge.passages')}
            />
          </SimpleGrid>
        )}
      </Section>
      <Section title="Memory">
        <Switch label="Enable memory" {...form.getInputProps('settings.memory.enabled', { type: 'checkbox' })} />
        {memory.enabled && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Select label="Capture" data={CAPTURE} allowDeselect={false} {...form.getInputProps('settings.memory.capture')} />
            <NumberInput
              label="Maximum memories per request"
              placeholder="Default"
              min={0}
              max={50}
              {...form.getInputProps('settings.memory.recall')}
            />
          </SimpleGrid>
        )}
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
      <Section title="Streaming">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label="Text of streamed responses leaves"
            description="Only if the output rules can judge a part of a response"
            data={RELEASE}
            allowDeselect={false}
            {...form.getInputProps('settings.release')}
          />
          <NumberInput
            label="Characters held back"
            description="At the end of the text so far"
            placeholder="Default"
            min={576}
            max={65_536}
            {...form.getInputProps('settings.release_window')}
          />
        </SimpleGrid>
      </Section>
      <Section title="Extensions">
        <MultiSelect
          label="Allowed extensions"
          description="Requests that use other extensions are refused"
          data={[...new Set([...EXTENSIONS, ...extensions])]}
          {...form.getInputProps('settings.extensions')}
        />
        <Select
          label="Unknown fields of requests"
          description="For the Anthropic Messages and OpenAI Responses APIs"
          data={UNKNOWN_FIELDS}
          allowDeselect={false}
          {...form.getInputProps('settings.unknown_fields')}
        />
      </Section>
    </>
  )
}

function Collections({ form }: { readonly form: UseFormReturnType<Values> }) {
  const enabled = useScopes().hasScope('knowledge:read')
  const { items = [] } = useAll('/admin/v1/collections', {}, { enabled })
  return (
    <TagsInput
      label="Collections"
      description="Empty: all collections available to the Application"
      data={items.map(({ name }) => name)}
      {...form.getInputProps('settings.knowledge.collections')}
    />
  )
}
