import { Autocomplete, Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'
import { Section } from '../../ui/section.tsx'
import type { Values } from './settings-values.ts'

/** Which models and providers the Application may use, and how sensitive its content may be. */
export function ReachFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const enabled = useScopes().may('providers:read')
  const { items = [] } = useAll('/admin/v1/models', {}, { enabled })
  const models = [...new Set(items.map(({ id }) => id))]
  const providers = [...new Set(items.map(({ provider_id }) => provider_id))]
  return (
    <Section title="What it may use">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label="Name" required {...form.getInputProps('name')} />
        <Autocomplete
          label="Default model"
          description="For requests that name none"
          data={models}
          {...form.getInputProps('default_model')}
        />
        <TagsInput
          label="Models"
          description="Names, or patterns such as gpt-*; empty: every model"
          data={models}
          {...form.getInputProps('models')}
        />
        <TagsInput label="Providers" description="Empty: every provider" data={providers} {...form.getInputProps('providers')} />
        <Level form={form} path="ceiling" label="Ceiling" description="More sensitive content never goes through" />
        <Level
          form={form}
          path="settings.default_classification"
          label="Content without a label counts as"
          description="Until something more sensitive is found in it"
        />
        <Level
          form={form}
          path="settings.assertion_clearance"
          label="Clearance of users without a token"
          description="What users may see whom the Application only asserts"
        />
        <TagsInput
          label="Web pages that may call it"
          description="Origins of browser requests (CORS), such as https://app.example.org, or * for any; empty: none. A key in a web page can be read by its visitors"
          maxTags={50}
          {...form.getInputProps('settings.cors.origins')}
        />
      </SimpleGrid>
    </Section>
  )
}

interface LevelProps {
  readonly form: UseFormReturnType<Values>
  readonly path: string
  readonly label: string
  readonly description: string
}

const Level = ({ form, path, label, description }: LevelProps) => (
  <Select label={label} description={description} data={CLASSIFICATIONS} allowDeselect={false} {...form.getInputProps(path)} />
)
