/** What the model's rules see in a ticket's text, each by words in five languages. */
export type TicketSignals = {
  readonly asksRefund: boolean;
  readonly isPartial: boolean;
  readonly chargedTwice: boolean;
  readonly isAngry: boolean;
  readonly isDamaged: boolean;
  readonly threatens: boolean;
  readonly asks: boolean;
  readonly isImpossible: boolean;
  readonly isInjection: boolean;
  readonly isUrgent: boolean;
};

/** Taken out before the refund words are looked for: "I don't want a refund" asks for none. */
const declined =
  /(?:\b(?:do not|don't|don’t|not|no)\s+(?:really\s+)?(?:want|need|asking for|looking for)\s+(?:a |any |my )?(?:refund|money back)|\bkeine\s+(?:erstattung|rückerstattung)|\bpas de remboursement|\bno (?:quiero|necesito) (?:un |el )?reembolso|(?:不要|不需要|不想要?)(?:退款|退钱))/giu;

const patterns = {
  asksRefund:
    /\brefund|\bmoney back\b|\breimburs|\bpay (?:me )?back\b|\bget back what|erstattung|\berstatten|\bgeld zurück|\brembours|\breembols|\bdevolución|\bdevolver|退款|退钱|退货|退回|返还/iu,
  isPartial:
    /\bpartial|\bpart of\b|\bonly (?:one|the|want)\b|\bdifference\b|\bdiscount\b|\bhalf\b|\d\s?(?:%|percent)|\bteil(?:weise|betrag|erstatt)|\bhälfte\b|\bdifferenz\b|\bpartiel|\bmoitié\b|\bparcial|\bmitad\b|部分|差价|一半/iu,
  chargedTwice:
    /\b(?:charged|billed|debited)\b.{0,40}\b(?:twice|two times|double)\b|\bpaid twice\b|\bdouble[- ]charge|\bduplicate (?:charge|payment)|\btwo (?:identical )?charges|\b(?:doppelt|zweimal)\b.{0,30}\b(?:abgebucht|belastet|bezahlt)|\bdébité(?:e)? deux fois|\bcobrad[oa] dos veces|\bcobraron dos veces|重复(?:扣款|收费)|扣了(?:我)?两次/isu,
  isAngry:
    /\bunacceptable|\bangry|\bfurious|\bdisgrace|\bterrible|\bworst\b|\bridiculous|\bfed up\b|\bappalling|\bdisappoint|\bshame\b|!{3,}|\bunverschämt|\benttäusch|\bwütend|\bfrechheit|\binadmissible|\bhonte\b|\bdéçu|\binaceptable|\bvergüenza|\bdecepcion|太差|生气|失望|气愤|不能接受|😡|🤬|👎/iu,
  isDamaged:
    /\bbroken?\b|\bdamaged?\b|\bcracked|\bshattered|\bdefect|\bdoes(?:n't| not) work|\bstopped working|\bwrong (?:item|colou?r|size)\b|\bmissing\b|\bkaputt|\bbeschädigt|\bcassé|\babîmé|\broto\b|\brota\b|\bdañad|坏了|破损|碎了|💔/iu,
  threatens:
    /\blawyer|\bsolicitor|\blegal action|\bsmall claims|\bchargeback|\bconsumer (?:protection|rights)|\banwalt|\bverbraucherzentrale|\bavocat|\babogad|律师|投诉到|消费者协会/iu,
  asks: /[?？]|\bhow (?:do|can|long|much)\b|\bwhen will\b|\bwondering\b|\bwann\b|\bkönnen sie\b|\bquand\b|\bcuándo\b|什么时候|请问|吗/iu,
  isImpossible:
    /\b(?:go|travel|turn) back (?:in|the) (?:time|clock|clocks)\b|\bturn back time\b|\btime machine\b|\bchange the past\b|\bundo (?:the past|yesterday|last (?:week|month|year))\b|\bmake it (?:so )?(?:that )?.{0,60}\bnever happened\b|\bvergangenheit (?:zu )?ändern|\bzeit zurückdrehen|\bchanger le passé|\bremonter le temps|\bcambiar el pasado|时光倒流|改变过去|回到过去/isu,
  isInjection:
    /\b(?:ignore|disregard|forget)\b.{0,40}\b(?:previous|prior|above|earlier|all|your)\b.{0,30}\b(?:instructions?|rules|prompts?)|\byou are now\b|\bsystem (?:prompt|message|override)|\b(?:developer|admin|god) mode\b|"action"\s*:\s*"refund"|<\/?(?:system|instructions?)>|忽略.{0,10}(?:指令|指示|规则)/isu,
  isUrgent:
    /\burgent|\bas soon as possible|\basap\b|\bimmediately|\bright now\b|\btoday\b|\btomorrow\b|\bdringend|\bsofort\b|\bheute\b|\burgence|\bhoy\b|紧急|马上|立刻|尽快/iu,
} as const satisfies Readonly<Record<keyof TicketSignals, RegExp>>;

/** Returns the signals of a text. Looks at words only, so it is the same for the same text. */
export function readSignals(text: string): TicketSignals {
  const wanted = text.replace(declined, ' ');
  const has = (name: keyof TicketSignals): boolean => patterns[name].test(wanted);
  return {
    asksRefund: has('asksRefund'),
    isPartial: patterns.isPartial.test(refundSentences(text)),
    chargedTwice: has('chargedTwice'),
    isAngry: has('isAngry'),
    isDamaged: has('isDamaged'),
    threatens: has('threatens'),
    asks: has('asks') && /\p{L}{2}/u.test(text), // a lone "?" asks nothing
    isImpossible: has('isImpossible'),
    isInjection: has('isInjection'),
    isUrgent: has('isUrgent'),
  };
}

/**
 * Returns the sentences that speak of paying back, each with the one after it; the whole text
 * where none does. So a number or a "half" elsewhere in a long letter isn't taken for what is
 * asked.
 */
export function refundSentences(text: string): string {
  const sentences = text.replace(declined, ' ').split(/(?<=[.!?])\s+|(?<=[。！？])|\n{2,}/u);
  const isOnRefund = (sentence: string | undefined): boolean =>
    sentence !== undefined && patterns.asksRefund.test(sentence);
  const chosen = sentences.filter(
    (sentence, index) => isOnRefund(sentence) || isOnRefund(sentences[index - 1]),
  );
  return chosen.length > 0 ? chosen.join('\n') : text;
}

/** Returns the first order id in a text, written as `ORD-` and its digits, or null. */
export function findOrderId(text: string): string | null {
  return findOrderIds(text)[0] ?? null;
}

/** Returns the order ids in a text, each once, in order of appearance. */
export function findOrderIds(text: string): readonly string[] {
  const numbers = text.matchAll(/(?<![\p{Script=Latin}\d])ORD[-–_ ]?(\d{1,12})(?!\d)/giu);
  return [...new Set([...numbers].map(([, number]) => `ORD-${number}`))];
}
