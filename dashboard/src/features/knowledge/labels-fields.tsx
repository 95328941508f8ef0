import { Select, TagsInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { type CLASSIFICATIONS, classificationChoices } from '../../ui/classification.tsx'
import { type Acl, aclBody } from './acl.ts'
import { AclField } from './acl-field.tsx'

export interface LabelValues {
  classification: (typeof CLASSIFICATIONS)[number] | null
  regulations: string[]
  acl: Acl | null
}

export const labelsBody = ({ classification, regulations, acl }: LabelValues) => ({
  classification,
  regulations: regulations.length > 0 ? regulations : null,
  acl: aclBody(acl),
})

interface LabelsFieldsProps {
  readonly form: Pick<UseFormReturnType<LabelValues>, 'getInputProps'>
  readonly unsetLabels: { readonly classification: string; readonly acl: string }
}

/** Inputs for classification, regulations and readers. */
export function LabelsFields({ form, unsetLabels }: LabelsFieldsProps) {
  const { t } = useTranslation('knowledge')
  const { value, onChange, error } = form.getInputProps('acl')
  return (
    <>
      <Select
        label={t('form.classification')}
        placeholder={unsetLabels.classification}
        clearable
        data={classificationChoices()}
        {...form.getInputProps('classification')}
      />
      <TagsInput
        label={t('form.regulations')}
        description={t('form.regulationsHint')}
        acceptValueOnBlur
        {...form.getInputProps('regulations')}
      />
      <AclField value={value} onChange={onChange} unsetLabel={unsetLabels.acl} error={error} />
    </>
  )
}
