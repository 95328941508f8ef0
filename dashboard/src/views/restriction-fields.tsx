import { Fieldset, NumberInput, SimpleGrid, TagsInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useAll } from '../api/queries.ts'
import { useScopes } from '../api/session.ts'
import { SEPARATORS } from '../ui/format-numbers.ts'
import { LIMIT_NAMES } from '../ui/restriction.ts'

interface RestrictionFieldsProps {
  /** A form with the values of `restrictionValues`. */
  readonly form: { readonly getInputProps: (path: string) => object }
}

/** Limits and models that apply in addition to those of the Application. */
export function RestrictionFields({ form }: RestrictionFieldsProps) {
  const { t } = useTranslation('ui')
  const enabled = useScopes().hasScope('providers:read')
  const { items = [] } = useAll('/admin/v1/models', {}, { enabled })
  return (
    <>
      <Fieldset legend={t('restriction.limits')}>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          {LIMIT_NAMES.map((limit) => (
            <NumberInput
              key={limit}
              label={t(`restriction.${limit}`)}
              placeholder={limit === 'burst' ? t('restriction.default') : t('restriction.noLimit')}
              min={1}
              allowDecimal={false}
              {...SEPARATORS}
              {...form.getInputProps(`limits.${limit}`)}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <TagsInput
        label={t('restriction.models')}
        description={t('restriction.modelsHint')}
        data={[...new Set(items.map(({ id }) => id))]}
        {...form.getInputProps('models')}
      />
    </>
  )
}
