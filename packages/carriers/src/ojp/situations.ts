import type { Remark } from '@ticketing/core';
import { remarkOf } from '../wire/remarks.ts';
import { childOf, childrenOf, textAt, type XmlElement } from '../wire/xml-reader.ts';

/** The situations of an answer (SIRI SX), each read once, when something refers to it. */
export interface Situations {
  /** Returns the situations that an element refers to. */
  of(element: XmlElement | undefined): readonly (Remark | undefined)[];
}

const none: readonly undefined[] = [];

/** Parts of a text for passengers, in the order in which they are read. */
const parts = [
  ...['Summary', 'Reason', 'Description', 'Consequence', 'Recommendation', 'Duration'],
] as const;

/** Reads the situations in the context of an answer. */
export function readSituations(delivery: XmlElement): Situations {
  const elements = new Map<string, XmlElement>();
  const list = childOf(childOf(delivery, 'TripResponseContext'), 'Situations');
  for (const element of childrenOf(list, 'PtSituation')) elements.set(keyOf(element), element);
  const known = new Map<XmlElement, Remark | undefined>();
  const read = (element: XmlElement): Remark | undefined => {
    if (!known.has(element)) known.set(element, situationOf(element));
    return known.get(element);
  };
  return {
    of(element) {
      if (elements.size === 0) return none;
      // 1.0 has them without a list around them.
      const references = [
        ...childrenOf(childOf(element, 'SituationFullRefs'), 'SituationFullRef'),
        ...childrenOf(element, 'SituationFullRef'),
      ];
      return references.map((reference) => {
        const found = elements.get(keyOf(reference));
        return found && read(found);
      });
    },
  };
}

/** A number is unique for its participant. */
function keyOf(element: XmlElement): string {
  return `${textAt(element, 'ParticipantRef')} ${textAt(element, 'SituationNumber')}`;
}

/** Reads the text for passengers; servers of older versions have only a summary and a description. */
function situationOf(element: XmlElement): Remark | undefined {
  const actions = childrenOf(childOf(element, 'PublishingActions'), 'PublishingAction');
  const contents = actions.flatMap((action) =>
    childrenOf(childOf(action, 'PassengerInformationAction'), 'TextualContent'),
  );
  const code = textAt(element, 'SituationNumber');
  const told = textAt(element, 'Language');
  // Of several texts, such as one for displays and one for devices, the first.
  for (const content of contents) {
    const summary = childrenOf(childOf(content, 'SummaryContent'), 'SummaryText')[0];
    const language = summary?.language ?? told;
    const texts = parts.flatMap((part) =>
      childrenOf(content, `${part}Content`).map((one) => textIn(one, `${part}Text`, language)),
    );
    const remark = remarkOf({ kind: 'disruption', texts, code, language });
    if (remark !== undefined) return remark;
  }
  const language = childOf(element, 'Summary')?.language ?? told;
  const texts = ['Summary', 'Description', 'Detail', 'Advice'].map((name) =>
    textIn(element, name, language),
  );
  return remarkOf({ kind: 'disruption', texts, code, language });
}

/** Returns a text in a language, where there are several; else the first. */
function textIn(
  element: XmlElement,
  name: string,
  language: string | undefined,
): string | undefined {
  const texts = childrenOf(element, name);
  return (texts.find((each) => each.language === language) ?? texts[0])?.text;
}
