#include <algorithm>

#include "config/foreign/words.h"
#include "config/paddlevit/paddle_family.h"
#include "core/text.h"

namespace vitrain::config::paddlevit {
namespace {

// PaddleViT's families. A family begins with its row
// "family NAME | TYPES | FLAGS"; the flags are members of PaddleFamily. Rows
// below it have its defaults, its note, its keys, "KEY=DEFAULT:ROLE" (without a
// role: FamilyKey::Role::kNumber), and its networks:
// "NAME+DISTILLED:IMAGE_SIZE ... | NUMBERS", with several names if networks
// differ only in their size, which is 224 if it is left out.
constexpr std::string_view kFamilies = R"(
family ViT | vit | vit_numbers decays_all
family DeiT | deit | vit_numbers two_heads
defaults MODEL.DROPPATH=0 TRAIN.WARMUP_EPOCHS=5 TRAIN.END_LR=0 TRAIN.MODEL_EMA=true TRAIN.DISTILLATION_TYPE=hard
    TRAIN.TEACHER_MODEL=./regnety_160.pdparams
family MAE | mae | decays_all
defaults MODEL.DROPPATH=0 TRAIN.NUM_EPOCHS=800 TRAIN.WARMUP_EPOCHS=40 TRAIN.BASE_LR=0.00015 TRAIN.END_LR=0
    TRAIN.LINEAR_SCALED_LR=256 TRAIN.COLOR_JITTER=0 TRAIN.RAND_AUGMENT=false TRAIN.RAND_AUGMENT_LAYERS=9
    TRAIN.RAND_AUGMENT_MAGNITUDE=5 TRAIN.RANDOM_ERASE_PROB=0 TRAIN.OPTIMIZER.BETAS=[0.9,0.95] SAVE_FREQ=1
    REPORT_FREQ=100 VALIDATE_FREQ=100
note for fine-tuning, the position embedding is learned, as timm's ViT has it; PaddleViT's MAE keeps a fixed one, and
    has so many parameters less
keys MAE_PRETRAIN=false TRANS.PATCH_SIZE=16 TRANS.MLP_RATIO=4:only TRANS.QKV_BIAS=true:only
    TRANS.MASK_RATIO=0.75:free TRANS.ENCODER.EMBED_DIM=768 TRANS.ENCODER.DEPTH=12 TRANS.ENCODER.NUM_HEADS=12
    TRANS.DECODER.EMBED_DIM=512:free TRANS.DECODER.DEPTH=8:free TRANS.DECODER.NUM_HEADS=8:free
mae_vit_base_patch16 | true 16 768 12 12
mae_vit_large_patch16 | true 16 1024 24 16
mae_vit_huge_patch14 | true 14 1280 32 16
vit_base_patch16_224 | false 16 768 12 12
vit_large_patch16_224 | false 16 1024 24 16
vit_huge_patch14_224 | false 14 1280 32 16
family HVT | hvt
defaults TRAIN.BASE_LR=0.001 TRAIN.WEIGHT_DECAY=0.1
note DROPPATH is the last block's and rises to it, as the authors have it; PaddleViT's blocks all have it
keys PATCH_SIZE=16:only IN_CHANNELS=3:only EMBED_DIM=384 DEPTH=12:only MLP_RATIO=4:only NUM_HEADS=6
    QKV_BIAS=true:only INIT_VALUES=1e-5:idle POOL_KERNEL_SIZE=3:only POOL_STRIDE=2:idle POOL_BLOCK_WIDTH=6
hvt_s0_patch16_224 | 384 6 0
hvt_s1_patch16_224 | 384 6 12
hvt_s2_patch16_224 | 384 6 6
hvt_s3_patch16_224 | 384 6 4
hvt_ti_1_patch16_224 | 192 3 13
scale_hvt_ti_4_patch16_224 | 384 6 3
family CaiT | cait
defaults TRAIN.WARMUP_EPOCHS=5 TRAIN.END_LR=0 TRAIN.MODEL_EMA=true
keys PATCH_SIZE=16:only EMBED_DIM=768 NUM_HEADS=12 ATTN_HEAD_SIZE=none:idle DEPTH=12 QK_SCALE=none:idle
    QKV_BIAS=true:only MLP_RATIO=4:only INIT_VALUES=1e-4:start DEPTH_TOKEN_ONLY=2:only
cait_m36_384:384 | 768 16 36 1e-6
cait_m48_448:448 | 768 16 48 1e-6
cait_s24_224 cait_s24_384:384 | 384 8 24 1e-5
cait_s36_384:384 | 384 8 36 1e-6
cait_xs24_384:384 | 288 6 24 1e-5
cait_xxs24_224 cait_xxs24_384:384 | 192 4 24 1e-5
cait_xxs36_224 cait_xxs36_384:384 | 192 4 36 1e-5
family BEiT | beit
defaults DATA.IMAGENET_MEAN=[0.5,0.5,0.5] DATA.IMAGENET_STD=[0.5,0.5,0.5] TRAIN.NUM_EPOCHS=100 TRAIN.BASE_LR=0.004
    TRAIN.WARMUP_START_LR=0 TRAIN.END_LR=1e-6 TRAIN.MODEL_EMA=true TRAIN.LAYER_DECAY=0.65 TRAIN.OPTIMIZER.NAME=AdamWDL
keys VAE_TYPE=dall-e:idle PATCH_SIZE=16:only EMBED_DIM=768 NUM_HEADS=12 ATTN_HEAD_SIZE=none:idle DEPTH=12
    QK_SCALE=none:idle QKV_BIAS=true:only MLP_RATIO=4:only USE_ABS_POS_EMB=false:only USE_REL_POS_BIAS=true:only
    INIT_VALUES=1e-4:start
beit_base_patch16_224 beit_base_patch16_384:384 | 768 12 12 0.1
beit_large_patch16_224 beit_large_patch16_384:384 beit_large_patch16_512:512 | 1024 16 24 1e-5
family XCiT | xcit
defaults TRAIN.WARMUP_EPOCHS=5
keys PATCH_SIZE=16 EMBED_DIM=128 NUM_HEADS=4 ATTN_HEAD_SIZE=none:idle DEPTH=12 QK_SCALE=none:only QKV_BIAS=true:only
    MLP_RATIO=4:only ETA=1:start TOKENS_NORM=false CLS_ATTN_LAYERS=2:only USE_POS=true:only
xcit_large_24_p16_224 xcit_large_24_p16_384:384 | 16 768 16 24 1e-5 true
xcit_large_24_p8_224 xcit_large_24_p8_384:384 | 8 768 16 24 1e-5 true
xcit_medium_24_p16_224 xcit_medium_24_p16_384:384 | 16 512 8 24 1e-5 true
xcit_medium_24_p8_224 xcit_medium_24_p8_384:384 | 8 512 8 24 1e-5 true
xcit_nano_12_p16_224 xcit_nano_12_p16_384:384 | 16 128 4 12 1 false
xcit_nano_12_p8_224 xcit_nano_12_p8_384:384 | 8 128 4 12 1 false
xcit_small_12_p16_224 xcit_small_12_p16_384:384 | 16 384 8 12 1 true
xcit_small_12_p8_224 xcit_small_12_p8_384:384 | 8 384 8 12 1 true
xcit_small_24_p16_224 xcit_small_24_p16_384:384 | 16 384 8 24 1e-5 true
xcit_small_24_p8_224 xcit_small_24_p8_384:384 | 8 384 8 24 1e-5 true
xcit_tiny_12_p16_224 xcit_tiny_12_p16_384:384 | 16 192 4 12 1 true
xcit_tiny_12_p8_224 xcit_tiny_12_p8_384:384 | 8 192 4 12 1 true
xcit_tiny_24_p16_224 xcit_tiny_24_p16_384:384 | 16 192 4 24 1e-5 true
xcit_tiny_24_p8_224 xcit_tiny_24_p8_384:384 | 8 192 4 24 1e-5 true
family CrossViT | crossvit | fixed_size
defaults TRAIN.WARMUP_EPOCHS=5
note images are prepared in the size of the first branch; PaddleViT prepares them in DATA.IMAGE_SIZE and enlarges
    them for it
keys IMG_SIZE=[240,224] PATCH_SIZE=[12,16]:only EMBED_DIM=[384,768] NUM_HEADS=[12,12] ATTN_HEAD_SIZE=none:idle
    DEPTH=[[1,4,0],[1,4,0],[1,4,0]] QK_SCALE=none:idle QKV_BIAS=true:only MLP_RATIO=[4,4,1] MULTI_CONV=false
    HYBRID_BACKBONE=none:only
crossvit_15_240:240 | [240,224] [192,384] [6,6] [[1,5,0],[1,5,0],[1,5,0]] [3,3,1] false
crossvit_15_dagger_240:240 | [240,224] [192,384] [6,6] [[1,5,0],[1,5,0],[1,5,0]] [3,3,1] true
crossvit_15_dagger_408:408 | [408,384] [192,384] [6,6] [[1,5,0],[1,5,0],[1,5,0]] [3,3,1] true
crossvit_18_240:240 | [240,224] [224,448] [7,7] [[1,6,0],[1,6,0],[1,6,0]] [3,3,1] false
crossvit_18_dagger_240:240 | [240,224] [224,448] [7,7] [[1,6,0],[1,6,0],[1,6,0]] [3,3,1] true
crossvit_18_dagger_408:408 | [408,384] [224,448] [7,7] [[1,6,0],[1,6,0],[1,6,0]] [3,3,1] true
crossvit_9_240:240 | [240,224] [128,256] [4,4] [[1,3,0],[1,3,0],[1,3,0]] [3,3,1] false
crossvit_9_dagger_240:240 | [240,224] [128,256] [4,4] [[1,3,0],[1,3,0],[1,3,0]] [3,3,1] true
crossvit_base_240:240 | [240,224] [384,768] [12,12] [[1,4,0],[1,4,0],[1,4,0]] [4,4,1] false
crossvit_small_240:240 | [240,224] [192,384] [6,6] [[1,4,0],[1,4,0],[1,4,0]] [4,4,1] false
crossvit_tiny_240:240 | [240,224] [96,192] [3,3] [[1,4,0],[1,4,0],[1,4,0]] [4,4,1] false
family Swin | swin
defaults DATA.CROP_PCT=0.9 TRAIN.WARMUP_START_LR=5e-7 TRAIN.END_LR=5e-6 TRAIN.GRAD_CLIP=5
keys PATCH_SIZE=16 WINDOW_SIZE=7 EMBED_DIM=96 NUM_HEADS=[3,6,12,24] STAGE_DEPTHS=[2,2,6,2] MLP_RATIO=4:only
    QKV_BIAS=true:only QK_SCALE=none:only APE=false:only PATCH_NORM=true:idle
swin_base_patch4_window12_384:384 | 4 12 128 [4,8,16,32] [2,2,18,2]
swin_base_patch4_window7_224 | 4 7 128 [4,8,16,32] [2,2,18,2]
swin_large_patch4_window12_384:384 | 4 12 192 [6,12,24,48] [2,2,18,2]
swin_large_patch4_window7_224 | 4 7 192 [6,12,24,48] [2,2,18,2]
swin_small_patch4_window7_224 | 4 7 96 [3,6,12,24] [2,2,18,2]
swin_tiny_patch4_window7_224 | 4 7 96 [3,6,12,24] [2,2,6,2]
family PVTv2 | pvtv2
defaults TRAIN.WARMUP_EPOCHS=5
keys PATCH_SIZE=4:idle EMBED_DIM=[32,64,160,256] NUM_HEADS=[1,2,5,8] ATTN_HEAD_SIZE=none:idle STAGE_DEPTH=[2,2,2,2]
    QK_SCALE=none:idle QKV_BIAS=true:only MLP_RATIO=[8,8,4,4] SR_RATIO=[8,4,2,1]:only LINEAR=none
pvt_v2_b0 | [32,64,160,256] [1,2,5,8] [2,2,2,2] [8,8,4,4] none
pvt_v2_b1 | [64,128,320,512] [1,2,5,8] [2,2,2,2] [8,8,4,4] none
pvt_v2_b2 | [64,128,320,512] [1,2,5,8] [3,4,6,3] [8,8,4,4] none
pvt_v2_b2_li | [64,128,320,512] [1,2,5,8] [3,4,6,3] [8,8,4,4] true
pvt_v2_b3 | [64,128,320,512] [1,2,5,8] [3,4,18,3] [8,8,4,4] none
pvt_v2_b4 | [64,128,320,512] [1,2,5,8] [3,8,27,3] [8,8,4,4] none
pvt_v2_b5 | [64,128,320,512] [1,2,5,8] [3,6,40,3] [4,4,4,4] none
family PiT | pit | two_heads
defaults TRAIN.WARMUP_EPOCHS=5 TRAIN.END_LR=0 TRAIN.MODEL_EMA=true
keys PATCH_SIZE=14 STRIDE=7 BASE_DIMS=[64,64,64] NUM_HEADS=[4,8,16] DEPTH=[3,6,4] MLP_RATIO=4:only
pit_b_224+pit_b_distilled_224 | 14 7 [64,64,64] [4,8,16] [3,6,4]
pit_s_224+pit_s_distilled_224 | 16 8 [48,48,48] [3,6,12] [2,6,4]
pit_ti_224+pit_ti_distilled_224 | 16 8 [32,32,32] [2,4,8] [2,6,4]
pit_xs_224+pit_xs_distilled_224 | 16 8 [48,48,48] [2,4,8] [2,6,4]
family CoaT | coat coat_lite
defaults MODEL.DROPPATH=0 TRAIN.BASE_LR=0.004 TRAIN.MODEL_EMA=true
note the three scales of a parallel block (PARALLEL_DEPTH) share one MLP, as the authors' and timm's do; PaddleViT's
    have three
keys PATCH_SIZE=4:only EMBED_DIMS=[152,152,152,152] SERIAL_DEPTHS=[2,2,2,2] PARALLEL_DEPTH=6 NUM_HEADS=8
    MLP_RATIOS=[4,4,4,4] QKV_BIAS=true:only
coat_lite_medium | [128,256,320,512] [3,6,10,8] 0 8 [4,4,4,4]
coat_lite_mini | [64,128,320,512] [2,2,2,2] 0 8 [8,8,4,4]
coat_lite_small | [64,128,320,512] [3,4,6,3] 0 8 [8,8,4,4]
coat_lite_tiny | [64,128,256,320] [2,2,2,2] 0 8 [8,8,4,4]
coat_mini | [152,216,216,216] [2,2,2,2] 6 8 [4,4,4,4]
coat_small | [152,320,320,320] [2,2,2,2] 6 8 [4,4,4,4]
coat_tiny | [152,152,152,152] [2,2,2,2] 6 8 [4,4,4,4]
family LeViT | levit | two_heads
defaults TRAIN.NUM_EPOCHS=1000 TRAIN.WARMUP_EPOCHS=5 TRAIN.WEIGHT_DECAY=0.025 TRAIN.LINEAR_SCALED_LR=null
    TRAIN.MODEL_EMA=true TRAIN.MIXUP_ALPHA=0.2 TRAIN.RANDOM_ERASE_PROB=0.2 TRAIN.DISTILLATION_TYPE=hard SEED=42
keys PATCH_SIZE=16:only EMBED_DIM=[128,256,384] KEY_DIM=16 NUM_HEADS=[4,6,8] DEPTH=[2,3,4] ATTN_RATIO=2:only
    MLP_RATIO=2:only USE_CONV=false:only
+levit_128 | [128,256,384] 16 [4,8,12] [4,4,4]
+levit_128s | [128,256,384] 16 [4,6,8] [2,3,4]
+levit_192 | [192,288,384] 32 [3,5,6] [4,4,4]
+levit_256 | [256,384,512] 32 [4,6,8] [4,4,4]
+levit_384 | [384,512,768] 32 [6,9,12] [4,4,4]
family VOLO | volo
defaults MODEL.DROPPATH=0 TRAIN.WARMUP_EPOCHS=3 TRAIN.BASE_LR=0.001 TRAIN.LINEAR_SCALED_LR=128
note END_LR is 1e-5 where the file has none, as the authors train; PaddleViT's default is 49, by a slip of the pen
keys STEM_HIDDEN_DIM=128 TRANS.PATCH_SIZE=32:idle TRANS.LAYERS=[12,12,20,4] TRANS.EMBED_DIMS=[384,768,768,768]
    TRANS.MLP_RATIOS=[4,4,4,4] TRANS.DOWNSAMPLES=[true,false,false,false]:only
    TRANS.OUTLOOK_ATTENTION=[true,false,false,false]:only TRANS.NUM_HEADS=[12,16,16,16] TRANS.QKV_BIAS=false:only
    TRANS.QK_SCALE=false:only
volo_d1_224 volo_d1_384:384 | 64 [4,4,8,2] [192,384,384,384] [3,3,3,3] [6,12,12,12]
volo_d2_224 volo_d2_384:384 | 64 [6,4,10,4] [256,512,512,512] [3,3,3,3] [8,16,16,16]
volo_d3_224 volo_d3_448:448 | 64 [8,8,16,4] [256,512,512,512] [3,3,3,3] [8,16,16,16]
volo_d4_224 volo_d4_448:448 | 64 [8,8,16,4] [384,768,768,768] [3,3,3,3] [12,16,16,16]
volo_d5_224 volo_d5_448:448 volo_d5_512:512 | 128 [12,12,20,4] [384,768,768,768] [4,4,4,4] [12,16,16,16]
family MLP-Mixer | mixer mlp-mixer
defaults DATA.IMAGENET_MEAN=[0.5,0.5,0.5] DATA.IMAGENET_STD=[0.5,0.5,0.5] TRAIN.BASE_LR=0.001 TRAIN.WEIGHT_DECAY=0.1
keys MIXER.PATCH_SIZE=16:idle MIXER.EMBED_DIM=768 MIXER.DEPTH=12
mixer_b16_224 | 768 12
mixer_l16_224 | 1024 24
family ResMLP | resmlp
defaults TRAIN.BASE_LR=0.001 TRAIN.WEIGHT_DECAY=0.1
keys MIXER.PATCH_SIZE=16 MIXER.EMBED_DIM=768 MIXER.DEPTH=12 MIXER.MLP_RATIO=4:only
resmlp_12_224 | 16 384 12
resmlp_24_224 | 16 384 24
resmlp_36_224 | 16 384 36
resmlp_big_24_224 | 8 768 24
family gMLP | gatedmlp gmlp
defaults DATA.IMAGENET_MEAN=[0.5,0.5,0.5] DATA.IMAGENET_STD=[0.5,0.5,0.5] TRAIN.BASE_LR=0.001 TRAIN.WEIGHT_DECAY=0.1
keys MIXER.PATCH_SIZE=16:idle MIXER.EMBED_DIM=768 MIXER.DEPTH=12 MIXER.MLP_RATIO=6:only
gmlp_b16_224 | 512 30
gmlp_s16_224 | 256 30
family PoolFormer | poolformer
defaults TRAIN.WARMUP_EPOCHS=5 TRAIN.BASE_LR=0.001 TRAIN.LINEAR_SCALED_LR=1024
keys LAYERS=[2,2,6,2] EMBED_DIMS=[64,128,320,512] DOWNSAMPLES=[true,true,true,true]:only MLP_RATIOS=[4,4,4,4]:only
    LAYER_SCALE_INIT_VALUE=1e-5:start
poolformer_m36 | [6,6,18,6] [96,192,384,768] 1e-6
poolformer_m48 | [8,8,24,8] [96,192,384,768] 1e-6
poolformer_s12 | [2,2,6,2] [64,128,320,512] 1e-5
poolformer_s24 | [4,4,12,4] [64,128,320,512] 1e-5
poolformer_s36 | [6,6,18,6] [64,128,320,512] 1e-6
family ConvMixer | convmixer | no_drop_path
defaults TRAIN.BASE_LR=0.001 TRAIN.WEIGHT_DECAY=0.1
keys CNN.DIM=1536 CNN.DEPTH=20 CNN.KERNEL_SIZE=9 CNN.PATCH_SIZE=7 CNN.ACTIVATION=GELU
convmixer_1024_20_ks9_p14 | 1024 20 9 14 GELU
convmixer_1536_20 | 1536 20 9 7 GELU
convmixer_768_32 | 768 32 7 7 ReLU
family ConvNeXt | convnext
defaults MODEL.DROPPATH=0 TRAIN.BASE_LR=0.004 TRAIN.MODEL_EMA=true
keys PATCH_SIZE=4:only OUTPUT_STRIDE=32:only DEPTHS=[3,3,9,3] DIMS=[96,192,384,768] HEAD_NORM_FIRST=false:only
    CONV_MLP=false:only STEM_TYPE=patch:only
convnext_base | [3,3,27,3] [128,256,512,1024]
convnext_large | [3,3,27,3] [192,384,768,1536]
convnext_small | [3,3,27,3] [96,192,384,768]
convnext_tiny | [3,3,9,3] [96,192,384,768]
convnext_xlarge | [3,3,27,3] [256,512,1024,2048]
family MobileOne | mobileone
defaults MODEL.DROPPATH=0 TRAIN.WARMUP_EPOCHS=3 TRAIN.BASE_LR=0.002 TRAIN.WARMUP_START_LR=0.0002 TRAIN.END_LR=0.0002
    TRAIN.WEIGHT_DECAY=0.01 TRAIN.LINEAR_SCALED_LR=null TRAIN.MODEL_EMA=true TRAIN.AUTO_AUGMENT=true
    TRAIN.RAND_AUGMENT=false SAVE_FREQ=1
keys NUM_BLOCKS=[1,2,8,10,1] CHANNELS=[64,64,128,256,512] STRIDES=[2,2,2,2,2]:idle EXPANSIONS=[0.75,0.75,1,1,2]
    NUM_BRANCHES=[4,4,4,4,4] DEPLOY=false:only USE_SE=false
mobileone_s0:256 | [1,2,8,10,1] [64,64,128,256,512] [0.75,0.75,1,1,2] [4,4,4,4,4] false
mobileone_s1:256 | [1,2,8,10,1] [64,64,128,256,512] [1,1.5,1.5,2,2.5] [1,1,1,1,1] false
mobileone_s2:256 | [1,2,8,10,1] [64,64,128,256,512] [1,1.5,2,2.5,4] [1,1,1,1,1] false
mobileone_s3:256 | [1,2,8,10,1] [64,64,128,256,512] [1,2,2.5,3,4] [1,1,1,1,1] false
mobileone_s4:256 | [1,2,8,10,1] [64,64,128,256,512] [1,3,3.5,3.5,4] [1,1,1,1,1] true
family HaloNet | halo halonet
defaults DATA.IMAGE_SIZE=256 DATA.CROP_PCT=0.95 MODEL.DROPPATH=0 TRAIN.NUM_EPOCHS=150 TRAIN.WARMUP_EPOCHS=3
    TRAIN.BASE_LR=0.1 TRAIN.WARMUP_START_LR=0.0002 TRAIN.END_LR=0.0002 TRAIN.WEIGHT_DECAY=8e-5
    TRAIN.LINEAR_SCALED_LR=128
keys ACT=none STAGE1_BLOCK=[bottle,bottle,bottle] STAGE2_BLOCK=[bottle,bottle,bottle,attn]
    STAGE3_BLOCK=[bottle,attn,bottle,attn,bottle,attn] STAGE4_BLOCK=[bottle,attn,bottle]
    CHANNEL=[64,256,512,1024,2048] NUM_HEAD=[0,4,8,8] STRIDE=[1,2,2,2]:only DEPTH=[3,4,6,3] BLOCK_SIZE=8 HALO_SIZE=3
    HIDDEN_CHANNEL=1024
halonet26t:256 | relu [bottle,bottle] [bottle,bottle] [bottle,attn] [attn,attn] [64,256,512,1024,2048] [0,0,8,8]
    [2,2,2,2] 8 2 1024
halonet50ts:256 | silu [bottle,bottle,bottle] [bottle,bottle,bottle,attn] [bottle,attn,bottle,attn,bottle,attn]
    [bottle,attn,bottle] [64,256,512,1024,2048] [0,4,8,8] [3,4,6,3] 8 3 none
family RegNet | regnet
defaults MODEL.DROPPATH=0 TRAIN.WARMUP_EPOCHS=5 TRAIN.END_LR=0 TRAIN.MODEL_EMA=true
regnety_160 |
family BoTNet | botnet | unavailable
note PaddleViT's BoTNet-50 is none of timm's networks
family MobileViT | mobilevit | unavailable
note PaddleViT's blocks have a BatchNorm and an activation more than timm's, and its XXS expands fourfold instead of
    twofold
family CSwin | cswin | unavailable
family CvT | cvt | unavailable
family CycleMLP | cyclemlp | unavailable
family ConvMLP | convmlp | unavailable
family Focal Transformer | focal | unavailable
family FF_Only | ff_only ffonly | unavailable
family MobileFormer | mobileformer | unavailable
family RepLKNet | replknet | unavailable
family RepMLP | repmlp | unavailable
family ResT | rest rest_v2 | unavailable
family Shuffle Transformer | shuffle shuffle_transformer | unavailable
family T2T-ViT | t2t-vit t2t_vit | unavailable
family TopFormer | topformer | unavailable
family ViP | vip | unavailable
)";

FamilyKey read_key(const std::string& item) {
  const std::size_t equals = item.find('=');
  const std::size_t colon = item.find(':');
  const std::string role = colon == item.npos ? "" : item.substr(colon + 1);
  using enum FamilyKey::Role;
  return {
      item.substr(0, equals),
      item.substr(equals + 1, colon - equals - 1),
      role == "only"        ? kOnly
          : role == "start" ? kStart
          : role == "idle"  ? kIdle
          : role == "free"  ? kFree
                            : kNumber};
}

Network read_network(const std::string& item, const std::string& numbers) {
  Network network{.numbers = numbers};
  const std::vector<std::string> parts = split(item, ':');
  const std::vector<std::string> names = split(parts.front(), '+');
  network.name = names.front();
  network.distilled = names.size() > 1 ? names.back() : "";
  if (parts.size() > 1) {
    parse_int(parts.back(), network.image_size);
  }
  return network;
}

PaddleFamily read_family(const std::vector<std::string>& cells) {
  const std::vector<std::string> flags =
      split(cells.size() > 2 ? cells[2] : "", ' ');
  const auto has = [&](std::string_view flag) {
    return std::ranges::find(flags, flag) != flags.end();
  };
  return {
      .name = cells[0],
      .types = cells[1],
      .available = !has("unavailable"),
      .vit_numbers = has("vit_numbers"),
      .two_heads = has("two_heads"),
      .drop_path = !has("no_drop_path"),
      .fixed_size = has("fixed_size"),
      .decays_all = has("decays_all")};
}

} // namespace

const std::vector<PaddleFamily>& families() {
  static const std::vector<PaddleFamily> all = [] {
    std::vector<PaddleFamily> list;
    for (const std::string& row : foreign::table_rows(kFamilies)) {
      const std::string word = row.substr(0, row.find(' '));
      const std::string rest = without_prefix(row, word + " ");
      std::vector<std::string> cells;
      for (const std::string& cell :
           split(word == "family" ? rest : row, '|')) {
        cells.emplace_back(trim(cell));
      }
      if (word == "family") {
        list.push_back(read_family(cells));
      } else if (word == "defaults") {
        list.back().defaults = split(rest, ' ');
      } else if (word == "note") {
        list.back().note = rest;
      } else if (word == "keys") {
        std::ranges::transform(
            split(rest, ' '), std::back_inserter(list.back().keys), read_key);
      } else {
        for (const std::string& item : split(cells[0], ' ')) {
          list.back().networks.push_back(read_network(item, cells[1]));
        }
      }
    }
    return list;
  }();
  return all;
}

} // namespace vitrain::config::paddlevit
