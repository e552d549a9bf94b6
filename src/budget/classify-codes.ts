/**
 * The words that servers, SDKs and runtimes use as codes, by what they mean. Written in plain
 * form: no case, no punctuation, and without a closing "error" or "exception" unless only the
 * whole word will do. Sources: the public API references of the providers and Node's error codes.
 */
function words(list: string): readonly string[] {
  return list.trim().split(/\s+/);
}

/** The caller's own cancellation, said by name. */
export const cancelledCodes = words('cancelledfailure');

/** Refusals of content: by the code, or as the reason for which an answer ended. */
export const contentFilterCodes = words(`
  contentblocked contentfilter contentfiltered contentpolicyviolation contentviolation
  datainspectionfailed finishblocklist finisherrortoxic finishguardrailintervened
  finishimagesafety finishprohibitedcontent finishrecitation finishrefusal finishsafety
  finishspii guardrailintervened moderationblocked prohibitedcontent responsibleaipolicyviolation
`);

/** Requests that don't fit, however long one waits. */
export const contextLengthCodes = words(`
  contentlengthexceedslimit contextlengthexceeded contextoverflow contextwindowexceeded
  exceedcontextsize finisherrorlimit inputtoolong maxcontextlengthexceeded modelcontextwindowexceeded
  modelmaxprompttokensexceeded payloadtoolarge prompttoolong requestentitytoolarge
  requesttoolarge stringabovemaxlength tokenslimitreached
`);

/** Money or an allotment is used up; waiting minutes doesn't help. */
export const quotaCodes = words(`
  arrearage billingdisabled billingerror billinghardlimitreached billingnotactive budgetexceeded
  creditbalanceexhausted creditsexhausted dailylimitexceeded exceededcurrentquota
  freeusageexhausted insufficientbalance insufficientcredits insufficientquota
  insufficientuserquota monthlyrequestcount organizationspendlimitexceeded
  organizationusagelimitexceeded outofcredit outofcredits paymentrequired projectspendlimitexceeded
  projectusagelimitexceeded quotaexceeded quotaexhausted servicequotaexceeded
  subscriptionfreeusageexhausted usagelimitexceeded usagelimitreached usagenotincluded
`);

/** Credentials that were good once: renew them. */
export const expiredCodes = words(`
  apikeyexpired expiredtoken expiredtokenid invalidgrant requestexpired tokenexpired tokenrefreshrequired
`);

/** Credentials or rights that are wrong, whatever the status says. */
export const authCodes = words(`
  accessdenied accountdeactivated apikeyinvalid consumerinvalid consumersuspended
  ailoadapikey credentialsprovider incompletesignature invalidapikey invalidauth invalidauthentication
  invalidclienttokenid invalidsignature loadapikey missingauthenticationtoken
  modelauthentication notauthed servicedisabled signaturedoesnotmatch tokenprovider
  tokenrevoked unrecognizedclient
`);

/** Another run or request holds what this one needs; it clears by itself. */
export const conflictCodes = words(`
  activerunexists conversationlocked idempotencykeyinuse idempotencyinprogress locktimeout
  resourceinuse threadlocked transactionconflict transactioninprogress
`);

/** What exists already will still exist at the next attempt. */
export const alreadyExistsCodes = words(`
  alreadyexists entityalreadyexists idempotencyconflict resourcealreadyexists
`);

/** The model, not the path, is missing. */
export const modelMissingCodes = words(`
  ainosuchmodel nosuchmodel deploymentnotfound modeldecommissioned modeldeprecated
  modelnotfound modelnotavailable modelnotsupported unknownmodel
`);

/** Trust in the server's certificate can't be had: a matter of configuration. */
export const certificateCodes = words(`
  certchaintoolong certhasexpired certificateverifyfailed certnotyetvalid certrejected
  certrevoked certsignaturefailure certuntrusted crlhasexpired crlnotyetvalid
  crlsignaturefailure depthzeroselfsignedcert errtlscertaltnameinvalid
  hostnamemismatch invalidca invalidpurpose pathlengthexceeded selfsignedcert
  selfsignedcertinchain unabletogetcrl unabletogetissuercert unabletogetissuercertlocally
  unabletoverifyleafsignature
`);

/** The server has no room, for anybody. */
export const overloadedCodes = words(`
  backenderror busy capacityexceeded engineoverloaded flexcapacityexceeded
  insufficientmodelcapacity insufficientsystemresource modelcapacityexhausted modelnotready
  modeloverloaded nocapacity overloaded overload serverbusy serverisoverloaded
  serveroverload serveroverloaded servicetiercapacityexceeded serviceunavailableerror
  serviceunavailableexception
`);

/** A deadline of the server or of an SDK passed. */
export const timeoutCodes = words(`
  apiconnectiontimeout apitimeout connecttimeout deadlineexceeded gatewaytimeout
  modelstreamtimeout modeltimeout requesttimeout timeout timeoutfailure
`);

/** Timeouts of sockets, by the codes and names of Node, undici and Bun. */
export const socketTimeoutCodes = words(`
  bodytimeout connecttimeout econnaborted errhttprequesttimeout errsocketconnectiontimeout
  esockettimedout etime etimedout headerstimeout pooltimeout readtimeout writetimeout
  underrbodytimeout
  underrconnecttimeout underrheaderstimeout
`);

/** Too many calls or tokens for now. */
export const rateLimitCodes = words(`
  limitexceededexception modelratelimit provisionedthroughputexceeded ratelimit ratelimited
  ratelimitexceeded ratelimitreached requestlimitexceeded requestthrottled slowdown
  throttled throttling toomanyrequests userratelimitexceeded
`);

/** Nothing was sent: the connection was refused, or the name didn't resolve. */
export const unsentCodes = words(`
  connectionrefused dnslookupfailed eaiagain eaifail eainodata eainoname econnrefused
  enotfound failedtoopensocket underrconnecttimeout connecttimeout errsocketconnectiontimeout
`);

/** The connection broke, or could not be used. */
export const networkCodes = words(`
  connectionclosed connectionrefused connectionreset dnslookupfailed eaddrnotavail eaiagain
  eaifail eainodata eainoname econnaborted econnrefused econnreset ehostdown ehostunreach
  connecterror enetdown enetreset enetunreach enotconn enotfound epipe eproto
  errhttp2goawaysession errhttp2invalidsession errhttp2sessionerror errhttp2streamcancel errhttp2stream errnetwork errsocketclosed
  errssldecryptionfailedorbadrecordmac errsslwrongversionnumber errstreamprematureclose
  failedtoopensocket networkerror underrclosed remoteprotocolerror underrdestroyed underrinfo underrsocket
`);

/** The server's own fault where the status doesn't say so. */
export const serverCodes = words(`
  finisherror finishmalformedfunctioncall modelerrorexception modelstreamerror modelstreamerrorexception
`);

/** An own timer or a library's ended the call; the caller's signal is looked at before. */
export const abortCodes = words(
  'aborterr aborterror apiuserabort cancelederror errcanceled requestaborted underraborted',
);

/**
 * Words that only repeat what a status says better: they count where no error status is known,
 * in this order.
 */
export const weakCodes = {
  'rate-limit': words('resourceexhausted'),
  timeout: words('deadlineexceeded'),
  auth: words('authentication forbidden permission permissiondenied unauthenticated unauthorized'),
  'not-found': words('notfound nosuchtool resourcenotfound'),
  conflict: words('aborted conflict'),
  validation: words(`
    aijsonparseerror ainoobjectgeneratederror ainosuchtoolerror aiinvalidtoolargumentserror
    aiinvalidtoolinputerror aitypevalidationerror invalidtoolresults outputparserexception
    outputparsingfailure validationerror zoderror
  `),
  'invalid-request': words(`
    aiinvalidprompt aiunsupportedfunctionality badrequest baduserinput failedprecondition
    graphqlvalidationfailed invalidargument invalidpromptinput invalidrequest outofrange
    unimplemented unprocessableentity validationexception
  `),
  server: words(`
    aiemptyresponsebody ainocontentgenerated api badgateway fatal gatewayinternalserver internal internalfailure internalserver
    server serviceunavailable unavailable
  `),
  network: words('apiconnection clientconnection connection'),
} as const;
