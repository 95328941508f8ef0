import { Autocomplete, Select, SimpleGrid, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { CLASSIFICATIONS } from '../../ui/classification.tsx'
import { Section } from '../../ui/section.tsx'
import type { Values } from './settings-values.ts'

/** Models, providers, classifications and CORS origins of an Application. */
export function AccessFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const enabled = useScopes().hasScope('providers:read')
  const { items = [] } = useAll('/admin/v1/models', {}, { enabled })
  const models = [...new Set(items.map(({ id }) => id))]
  const providers = [...new Set(items.map(({ provider_id }) => provider_id))]
  return (
    <Section title="Access">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label="Name" required {...form.getInputProps('name')} />
        <Autocomplete
          label="Default model"
          description="Used if a request names no model"
          data={models}
          {...form.getInputProps('default_model')}
        />
        <TagsInput
          label="Models"
          description="Names or patterns such as gpt-*. Empty: all models"
          data={models}
          {...form.getInputProps('models')}
        />
        <TagsInput label="Providers" description="Empty: all providers" data={providers} {...form.getInputProps('providers')} />
        <Level form={form} path="ceiling" label="Maximum classification" description="More sensitive content is refused" />
        <Level
          form={form}
          path="settings.default_classification"
          label="Default classification"
          description="For content without a label"
        />
        <Level
          form={form}
          path="settings.assertion_clearance"
          label="Clearance of unverified users"
          description="For users without a user token"
        />
        <TagsInput
          label="Allowed origins (CORS)"
          description="Web pages that may send requests, such as https://app.example.org, or * for any. Visitors can read a key in a web page"
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
