import { NumberInput, Select, SimpleGrid, Switch, TagsInput } from '@mantine/core'
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

/** Knowledge and memory of an Application. */
export function FeatureFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { knowledge, memory } = form.getValues().settings
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
