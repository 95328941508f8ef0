import { MultiSelect, NumberInput, Select, SimpleGrid, Switch, TagsInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { Section } from '../../ui/section.tsx'
import type { Values } from './settings-values.ts'

const CAPTURE = [
  { value: 'off', label: 'nothing' },
  { value: 'explicit', label: 'what it is told to' },
  { value: 'extract', label: 'also what it notices' },
]

const EXTENSIONS: readonly string[] = ['tools', 'content_parts', 'developer_role']

/** Knowledge, memory, and what goes beyond the plain chat. */
export function FeatureFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { knowledge, memory, extensions } = form.getValues().settings
  return (
    <>
      <Section title="Knowledge">
        <Switch
          label="Answers may be based on documents"
          {...form.getInputProps('settings.knowledge.enabled', { type: 'checkbox' })}
        />
        {knowledge.enabled && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Collections form={form} />
            <NumberInput
              label="Passages for a request, at most"
              placeholder="the default"
              min={0}
              max={50}
              {...form.getInputProps('settings.knowledge.passages')}
            />
          </SimpleGrid>
        )}
      </Section>
      <Section title="Memory">
        <Switch label="It remembers" {...form.getInputProps('settings.memory.enabled', { type: 'checkbox' })} />
        {memory.enabled && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Select label="It keeps" data={CAPTURE} allowDeselect={false} {...form.getInputProps('settings.memory.capture')} />
            <NumberInput
              label="Memories for a request, at most"
              placeholder="the default"
              min={0}
              max={50}
              {...form.getInputProps('settings.memory.recall')}
            />
          </SimpleGrid>
        )}
      </Section>
      <Section title="Extensions">
        <MultiSelect
          label="Beyond text in and text out"
          description="What is not opened here is refused"
          data={[...new Set([...EXTENSIONS, ...extensions])]}
          {...form.getInputProps('settings.extensions')}
        />
      </Section>
    </>
  )
}

function Collections({ form }: { readonly form: UseFormReturnType<Values> }) {
  const enabled = useScopes().may('knowledge:read')
  const { items = [] } = useAll('/admin/v1/collections', {}, { enabled })
  return (
    <TagsInput
      label="Collections"
      description="Empty: every one that serves it"
      data={items.map(({ name }) => name)}
      {...form.getInputProps('settings.knowledge.collections')}
    />
  )
}
