#include "compiler/Dialect/Attributes.h"
#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quernel;

#include "compiler/Dialect/QuernelEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/QuernelAttributes.cpp.inc"

void QuernelDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/Dialect/QuernelAttributes.cpp.inc"
      >();
}

// Text. Fields stand in angle brackets: a word, or a word and its value.

using TakeField = function_ref<FailureOr<bool>(StringRef)>;

static ParseResult parseField(AsmParser &parser, TakeField take) {
  SMLoc place = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  FailureOr<bool> known = take(word);
  if (failed(known) || *known)
    return success(succeeded(known));
  return parser.emitError(place, "no field is called '") << word << "'";
}

static ParseResult parseFields(AsmParser &parser, TakeField take) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                        [&]() -> ParseResult { return parseField(parser, take); });
}

/// `= value`.
template <typename T> static FailureOr<bool> parseValue(AsmParser &parser, T &value) {
  if (parser.parseEqual())
    return failure();
  FailureOr<T> parsed = FieldParser<T>::parse(parser);
  if (failed(parsed))
    return failure();
  value = *parsed;
  return true;
}

/// `= [value, …]`.
template <typename T> static FailureOr<bool> parseList(AsmParser &parser, SmallVectorImpl<T> &values) {
  if (parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        FailureOr<T> parsed = FieldParser<T>::parse(parser);
        if (succeeded(parsed))
          values.push_back(*parsed);
        return success(succeeded(parsed));
      }))
    return failure();
  return true;
}

namespace {
class FieldPrinter {
public:
  explicit FieldPrinter(AsmPrinter &printer) : printer(printer) { printer << "<"; }
  ~FieldPrinter() { printer << ">"; }

  raw_ostream &next() {
    printer << separator;
    separator = ", ";
    return printer.getStream();
  }
  void flag(StringRef name, bool isSet) {
    if (isSet)
      next() << name;
  }
  void attribute(StringRef name, Attribute value) {
    if (!value)
      return;
    next() << name << " = ";
    printer.printAttribute(value);
  }
  template <typename T> void list(StringRef name, ArrayRef<T> values) {
    if (values.empty())
      return;
    next() << name << " = [";
    llvm::interleaveComma(values, printer.getStream());
    printer << "]";
  }

private:
  AsmPrinter &printer;
  const char *separator = "";
};
} // namespace

static ScheduleAttr toAttribute(MLIRContext *context, const Schedule &s) {
  return ScheduleAttr::get(context, s.order, s.vector, s.maybeEmpty, s.polled, s.rolled, s.outlined, s.inOrder, s.grain,
                           s.reduces);
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  Schedule schedule;
  std::pair<StringRef, bool &> flags[] = {{"maybe_empty", schedule.maybeEmpty},
                                          {"polled", schedule.polled},
                                          {"rolled", schedule.rolled},
                                          {"outlined", schedule.outlined},
                                          {"in_order", schedule.inOrder}};
  if (parseFields(parser, [&](StringRef word) -> FailureOr<bool> {
        for (auto &[name, flag] : flags)
          if (word == name)
            return flag = true;
        if (word == "grain")
          return parseValue(parser, schedule.grain);
        if (word == "vector")
          return parseValue(parser, schedule.vector);
        if (word == "reduce")
          return parseList(parser, schedule.reduces);
        std::optional<TurnOrder> order = symbolizeTurnOrder(word);
        schedule.order = order.value_or(schedule.order);
        return order.has_value();
      }))
    return {};
  return toAttribute(parser.getContext(), schedule);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  if (getOrder() != TurnOrder::sequential)
    fields.next() << getOrder();
  fields.flag("maybe_empty", getMaybeEmpty());
  fields.flag("polled", getPolled());
  fields.flag("rolled", getRolled());
  fields.flag("outlined", getOutlined());
  fields.flag("in_order", getInOrder());
  if (getGrain())
    fields.next() << "grain = " << getGrain();
  if (getVector() != VectorForm::none)
    fields.next() << "vector = " << getVector();
  fields.list("reduce", getReduces());
}

/// The fields of a target that are numbers, by name.
static std::array<std::pair<StringRef, int64_t TargetInfo::*>, 8> targetNumbers() {
  return {{{"vector_bytes", &TargetInfo::vectorBytes},
           {"cache", &TargetInfo::cacheBytes},
           {"last_cache", &TargetInfo::lastCacheBytes},
           {"fork", &TargetInfo::fork},
           {"round_trip", &TargetInfo::roundTrip},
           {"multiprocessors", &TargetInfo::multiprocessors},
           {"shared", &TargetInfo::sharedBytes},
           {"registers", &TargetInfo::registers}}};
}

TargetInfo TargetAttr::info() const {
  return {getKind(),      getVectorBytes(),     getFma(),         getCacheBytes(), getLastCacheBytes(), getFork(),
          getRoundTrip(), getMultiprocessors(), getSharedBytes(), getRegisters()};
}

TargetAttr TargetAttr::of(MLIRContext *context, const TargetInfo &target) {
  return get(context, target.kind, target.vectorBytes, target.fma, target.cacheBytes, target.lastCacheBytes,
             target.fork, target.roundTrip, target.multiprocessors, target.sharedBytes, target.registers);
}

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  TargetInfo target;
  if (parseFields(parser, [&](StringRef word) -> FailureOr<bool> {
        for (auto [name, field] : targetNumbers())
          if (word == name)
            return parseValue(parser, target.*field);
        if (word == "fma")
          return target.fma = true;
        target.kind = word == "gpu" ? TargetKind::gpu : TargetKind::cpu;
        return word == "gpu" || word == "cpu";
      }))
    return {};
  return of(parser.getContext(), target);
}

void TargetAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  TargetInfo target = info();
  fields.next() << (target.kind == TargetKind::gpu ? "gpu" : "cpu");
  fields.flag("fma", target.fma);
  for (auto [name, field] : targetNumbers())
    if (target.*field)
      fields.next() << name << " = " << target.*field;
}

Attribute FunctionAttr::parse(AsmParser &parser, Type) {
  FunctionRole role = FunctionRole::graph;
  SmallVector<int64_t> updates;
  ArrayAttr lines, source;
  StatementAttr statement;
  WorkAttr work;
  ArrayAttr types;
  int64_t block = 0;
  if (parseFields(parser, [&](StringRef word) -> FailureOr<bool> {
        if (word == "updates")
          return parseList(parser, updates);
        if (word == "lines")
          return parseValue(parser, lines);
        if (word == "source")
          return parseValue(parser, source);
        if (word == "statement")
          return parseValue(parser, statement);
        if (word == "work")
          return parseValue(parser, work);
        if (word == "types")
          return parseValue(parser, types);
        if (word == "block")
          return parseValue(parser, block);
        std::optional<FunctionRole> named = symbolizeFunctionRole(word);
        role = named.value_or(role);
        return named.has_value();
      }))
    return {};
  return FunctionAttr::get(parser.getContext(), role, updates, lines, source, statement, work, types, block);
}

FunctionAttr FunctionAttr::withBlock(int64_t threads) const {
  return FunctionAttr::get(getContext(), getRole(), getUpdates(), getLines(), getSource(), getStatement(), getWork(),
                           getTypes(), threads);
}

void FunctionAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.next() << getRole();
  fields.list("updates", getUpdates());
  fields.attribute("lines", getLines());
  fields.attribute("source", getSource());
  fields.attribute("statement", getStatement());
  fields.attribute("work", getWork());
  fields.attribute("types", getTypes());
  if (getBlock())
    fields.next() << "block = " << getBlock();
}

static ArgumentAttr toAttribute(MLIRContext *context, const Argument &a) {
  return ArgumentAttr::get(context, a.name, a.kind, a.layout, a.readonly, a.shape, a.output, a.anySize);
}

Attribute ArgumentAttr::parse(AsmParser &parser, Type) {
  Argument argument;
  auto take = [&](StringRef word) -> FailureOr<bool> {
    if (word == "shape")
      return parseValue(parser, argument.shape);
    if (word == "output") {
      if (parser.parseEqual() || parser.parseAttribute(argument.output))
        return failure();
      return true;
    }
    if (word == "readonly")
      return argument.readonly = true;
    if (word == "any_size")
      return argument.anySize = true;
    if (std::optional<ArgumentKind> kind = symbolizeArgumentKind(word)) {
      argument.kind = *kind;
      return true;
    }
    std::optional<ArrayLayout> layout = symbolizeArrayLayout(word);
    argument.layout = layout.value_or(argument.layout);
    return layout.has_value();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
        std::string name;
        if (succeeded(parser.parseOptionalString(&name))) {
          argument.name = parser.getBuilder().getStringAttr(name);
          return success();
        }
        return parseField(parser, take);
      }))
    return {};
  return toAttribute(parser.getContext(), argument);
}

void ArgumentAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  if (getName()) {
    fields.next();
    printer.printAttribute(getName());
  }
  if (getKind() != ArgumentKind::array)
    fields.next() << getKind();
  fields.flag("strided", getLayout() == ArrayLayout::strided);
  fields.flag("readonly", getReadonly());
  fields.attribute("shape", getShape());
  fields.attribute("output", getOutput());
  fields.flag("any_size", getAnySize());
}

// Access

Schedule quernel::scheduleOf(Operation *op) {
  Schedule schedule;
  if (auto known = op->getAttrOfType<ScheduleAttr>(attributeNames::schedule)) {
    schedule = {known.getOrder(),   known.getVector(), known.getMaybeEmpty(),
                known.getPolled(),  known.getRolled(), known.getOutlined(),
                known.getInOrder(), known.getGrain(),  {}};
    schedule.reduces.assign(known.getReduces().begin(), known.getReduces().end());
  }
  return schedule;
}

void quernel::setSchedule(Operation *op, const Schedule &schedule) {
  if (schedule == Schedule())
    op->removeDiscardableAttr(attributeNames::schedule);
  else
    op->setDiscardableAttr(attributeNames::schedule, toAttribute(op->getContext(), schedule));
}

void quernel::changeSchedule(Operation *op, function_ref<void(Schedule &)> change) {
  Schedule schedule = scheduleOf(op);
  change(schedule);
  setSchedule(op, schedule);
}

bool quernel::isParallelLoop(Operation *op) {
  auto known = op->getAttrOfType<ScheduleAttr>(attributeNames::schedule);
  return isa<scf::ParallelOp>(op) || (known && known.getOrder() == TurnOrder::parallel);
}

bool quernel::isTaskLoop(Operation *op) { return scheduleOf(op).order == TurnOrder::tasks; }

bool quernel::isReductionLoop(Operation *op) {
  auto known = op->getAttrOfType<ScheduleAttr>(attributeNames::schedule);
  return known && !known.getReduces().empty();
}

StatementAttr quernel::statementAt(Location loc) {
  StatementAttr statement;
  loc->walk([&](Location inner) {
    if (auto fused = dyn_cast<FusedLoc>(inner))
      statement = dyn_cast_or_null<StatementAttr>(fused.getMetadata());
    return statement ? WalkResult::interrupt() : WalkResult::advance();
  });
  return statement;
}

FunctionAttr quernel::functionAttrOf(Operation *function) {
  return function->getAttrOfType<FunctionAttr>(attributeNames::function);
}

void quernel::setFunctionAttr(Operation *function, FunctionAttr attribute) {
  function->setDiscardableAttr(attributeNames::function, attribute);
}

bool quernel::hasRole(Operation *function, FunctionRole role) {
  FunctionAttr known = functionAttrOf(function);
  return known && known.getRole() == role;
}

ArrayRef<int64_t> quernel::updatesOf(Operation *function) {
  FunctionAttr known = functionAttrOf(function);
  return known ? known.getUpdates() : ArrayRef<int64_t>();
}

Argument quernel::argumentOf(FunctionOpInterface function, unsigned number) {
  auto known = function.getArgAttrOfType<ArgumentAttr>(number, attributeNames::argument);
  if (!known)
    return {};
  return {known.getName(),  known.getKind(),   known.getLayout(), known.getReadonly(),
          known.getShape(), known.getOutput(), known.getAnySize()};
}

int64_t quernel::leastOf(FunctionOpInterface function, unsigned number) {
  return argumentOf(function, number).anySize ? 0 : 2;
}

void quernel::setArgument(FunctionOpInterface function, unsigned number, const Argument &argument) {
  function.setArgAttrs(number, attributesOf(function.getContext(), argument));
}

DictionaryAttr quernel::attributesOf(MLIRContext *context, const Argument &argument) {
  ArgumentAttr attribute = toAttribute(context, argument);
  if (attribute == toAttribute(context, Argument()))
    return DictionaryAttr::get(context);
  Builder builder(context);
  return builder.getDictionaryAttr(builder.getNamedAttr(attributeNames::argument, attribute));
}

StringRef quernel::axesOf(Operation *op) {
  auto known = op->getAttrOfType<AxesAttr>(attributeNames::axes);
  return known ? known.getLetters().getValue() : StringRef();
}

void quernel::setAxes(Operation *op, StringRef letters) {
  op->setDiscardableAttr(attributeNames::axes,
                         AxesAttr::get(op->getContext(), StringAttr::get(op->getContext(), letters)));
}

StatementAttr quernel::joinStatements(StringAttr name, ArrayRef<StatementAttr> statements, StringAttr decision) {
  llvm::SetVector<Attribute> ops, decisions;
  for (StatementAttr statement : statements) {
    ops.insert_range(statement.getOps());
    if (ArrayAttr known = statement.getDecisions())
      decisions.insert_range(known);
  }
  if (decision)
    decisions.insert(decision);
  MLIRContext *context = name.getContext();
  return StatementAttr::get(context, name, ArrayAttr::get(context, ops.getArrayRef()),
                            decisions.empty() ? ArrayAttr() : ArrayAttr::get(context, decisions.getArrayRef()));
}

void quernel::addDecision(Operation *op, StringRef decision) {
  MLIRContext *context = op->getContext();
  StatementAttr statement = statementAt(op->getLoc());
  if (!statement)
    statement = StatementAttr::get(context, StringAttr::get(context, ""), ArrayAttr::get(context, {}));
  SmallVector<Attribute> decisions;
  if (ArrayAttr known = statement.getDecisions())
    llvm::append_range(decisions, known);
  decisions.push_back(StringAttr::get(context, decision));
  auto more = StatementAttr::get(context, statement.getName(), statement.getOps(), statement.getTypes(),
                                 statement.getSweep(), ArrayAttr::get(context, decisions));
  op->setLoc(FusedLoc::get(context, op->getLoc(), more));
}

DictionaryAttr quernel::sourceLinesOf(Operation *module) {
  return module->getAttrOfType<DictionaryAttr>(attributeNames::sourceLines);
}

void quernel::setSourceLines(Operation *module, DictionaryAttr lines) {
  module->setDiscardableAttr(attributeNames::sourceLines, lines);
}
