// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include <onnx/onnx_pb.h>

#include "horus/graph/onnx.hpp"
#include "horus/graph/onnx_budget.hpp"
#include "horus/graph/onnx_fields.hpp"
#include "horus/graph/onnx_foreign.hpp"
#include "horus/graph/onnx_function.hpp"
#include "horus/graph/onnx_graph.hpp"
#include "horus/graph/onnx_split.hpp"

namespace horus::graph {
namespace {

/// A ModelProto on its way to a Model.
struct Draft {
  Model model{.ir_version = 0};
  bool has_graph{false};
  std::string producer_version;
  std::vector<FunctionCalls> calls;  ///< Per function.
};

Result<Done> read_metadata(Slice message, Draft& draft) {
  onnx::StringStringEntryProto entry;
  HORUS_TRY_DONE(
      parse_whole("StringStringEntryProto", chars_of(message.bytes), message.offset, entry));
  draft.model.metadata[entry.key()] = entry.value();
  return Done{};
}

Result<Done> read_model_field(const WireField& field, ReadBudget& budget, Draft& draft) {
  Model& model = draft.model;
  switch (field.number) {
    case model_field::kIrVersion:
      model.ir_version = static_cast<std::int64_t>(field.value);
      return Done{};
    case model_field::kProducerName:
      model.producer = text_of(field.payload);
      return Done{};
    case model_field::kProducerVersion:
      draft.producer_version = text_of(field.payload);
      return Done{};
    case model_field::kGraph:
      draft.has_graph = true;
      return read_graph(field.payload, ReadScope{.budget = &budget}, model.graph);
    case model_field::kOpsetImport:
      return read_opset(field.payload, model.opsets);
    case model_field::kMetadataProps:
      HORUS_TRY_DONE(budget.take_values(1));
      return read_metadata(field.payload, draft);
    case model_field::kFunctions: {
      HORUS_TRY_DONE(budget.take_function());
      HORUS_TRY(Function function,
                read_function(field.payload, budget, draft.calls.emplace_back()));
      model.functions.push_back(std::move(function));
      return Done{};
    }
    default:
      return Done{};
  }
}

Result<Model> read_model(std::span<const std::byte> bytes, const ReadLimits& limits) {
  ReadBudget budget{limits};
  Draft draft;
  for (WireReader reader{model_field::kSpec, Slice{bytes, 0}}; !reader.at_end();) {
    HORUS_TRY(const WireField field, reader.next());
    HORUS_TRY_DONE(read_model_field(field, budget, draft));
  }
  if (!draft.has_graph) {
    return fail(Errc::Corrupt,
                "no graph found: this is not an ONNX model, or one that is cut off at the end");
  }
  if (draft.model.graph.nodes.empty()) {
    return fail(Errc::Corrupt, "the graph has no nodes: a model with at least one is expected");
  }
  HORUS_TRY_DONE(check_no_recursion(draft.calls));
  if (!draft.producer_version.empty()) draft.model.producer += " " + draft.producer_version;
  return std::move(draft.model);
}

}  // namespace

Result<Model> read_onnx(std::span<const std::byte> bytes, const ReadLimits& limits) {
  auto model = read_model(bytes, limits);
  if (model || model.error().code != Errc::Corrupt) return model;
  // Only what has failed is judged by its looks, so no model is ever taken for something else.
  if (auto foreign = describe_foreign(bytes)) return fail(Errc::Corrupt, std::move(*foreign));
  return model;
}

}  // namespace horus::graph
