import { Alert, Group, Input, SimpleGrid, Text, UnstyledButton } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { OTHER, type Provider, serviceOf } from './provider.ts'
import classes from './provider-gallery.module.css'
import { ProviderMark } from './provider-mark.tsx'
import { type Values, valuesOfKind } from './provider-values.ts'

/** Kinds with a tile of their own, in their order. */
const KINDS = ['anthropic', 'azure-openai', 'bedrock', 'gemini', 'vertex', 'stub'] as const

interface Service {
  /** Id of the preset or the kind. */
  readonly id: string
  readonly title: string
  readonly hint: string
  readonly values: ReturnType<typeof valuesOfKind>
}

function useServices(): readonly Service[] {
  const { t } = useTranslation('providers')
  const presets = useRead('/admin/v1/provider-presets').data?.data ?? []
  const { data: setup } = useRead('/admin/v1/setup')
  // Only owners of all Workspaces have this scope there.
  const mayAllowPrivate = useScopes().hasScopeInAll('operators:write')
  const known = presets.map(({ id, title, hint, base_url, max_classification }): Service => {
    const preset = id as NonNullable<Provider['preset']>
    // Without the switch, a server on localhost is refused.
    const allow_private_addresses = mayAllowPrivate && new URL(base_url).hostname === 'localhost'
    return {
      id,
      title,
      hint,
      values: { ...valuesOfKind('openai'), preset, base_url, max_classification, allow_private_addresses },
    }
  })
  const kinds = KINDS.map(
    (id): Service => ({ id, title: t(`kinds.${id}.title`), hint: t(`kinds.${id}.hint`), values: valuesOfKind(id) }),
  )
  const isFirst = ({ id }: Service) => id === 'openai'
  const other: Service = { id: OTHER, title: t('kinds.other.title'), hint: t('kinds.other.hint'), values: valuesOfKind('openai') }
  return [
    ...known.filter(isFirst),
    ...kinds.slice(0, -1),
    ...known.filter((service) => !isFirst(service)),
    other,
    // The built-in provider answers without a model, which is of use in the demo only.
    ...(setup?.is_demo ? kinds.slice(-1) : []),
  ]
}

/** Chooses the service of a new provider, which fills in its id and address. Shows where to get a key. */
export function ProviderGallery({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { t } = useTranslation('providers')
  const label = useId()
  const services = useServices()
  const values = form.getValues()
  const chosen = services.find(({ id }) => id === serviceOf(values))
  const choose = ({ id, values: filled }: Service) => {
    // An id that the operator typed stays.
    const isTyped = values.id !== '' && values.id !== chosen?.id
    // So does a classification that the operator chose.
    const { max_classification } =
      values.max_classification === (chosen?.values.max_classification ?? 'restricted') ? filled : values
    form.setValues({ ...filled, max_classification, ...(!isTyped && { id: id === OTHER ? '' : id }) })
  }
  return (
    <div>
      <Input.Label id={label} component="div">
        {t('gallery.label')}
      </Input.Label>
      <SimpleGrid cols={{ base: 2, xs: 3, sm: 4 }} spacing="xs" role="group" aria-labelledby={label}>
        {services.map((service) => (
          <UnstyledButton
            key={service.id}
            className={classes.tile ?? ''}
            aria-pressed={service === chosen}
            onClick={() => choose(service)}
          >
            <Group gap="xs" wrap="nowrap">
              <ProviderMark service={service.id} />
              <Text size="sm">{service.title}</Text>
            </Group>
          </UnstyledButton>
        ))}
      </SimpleGrid>
      {chosen && (
        <Alert role="note" variant="light" color="gray" mt="xs" p="xs">
          {chosen.hint}
        </Alert>
      )}
    </div>
  )
}
